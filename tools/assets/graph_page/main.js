"use strict";
// State of the page, and the events that change it.

const find = id => document.getElementById(id);
const state = {stage: 0, selected: null, matches: [], layoutId: 0};
const view = new View(find("canvas"), find("ruler"), item => select(item), toggle);
const layouts = layoutWorker();

// A function from a drawing to a promise of its layout.
function layoutWorker() {
  const scripts = ["dagre", "layout"].map(id => find(id).textContent).join(";\n");
  const answer = "onmessage = ({data: [id, drawing]}) => postMessage([id, layoutDrawing(drawing)]);";
  const waiting = new Map();
  let worker = null, count = 0;
  try {
    worker = new Worker(URL.createObjectURL(new Blob([scripts, ";\n", answer], {type: "text/javascript"})));
    worker.onmessage = ({data: [id, layout]}) => { waiting.get(id).resolve(layout); waiting.delete(id); };
    worker.onerror = () => {
      worker = null;
      for (const {drawing, resolve} of waiting.values()) resolve(layoutDrawing(drawing));
      waiting.clear();
    };
  } catch { worker = null; }
  return drawing => new Promise(resolve => {
    if (!worker) { setTimeout(() => resolve(layoutDrawing(drawing))); return; }
    waiting.set(++count, {drawing, resolve});
    worker.postMessage([count, drawing]);
  });
}

const graph = () => stageGraph(state.stage);

// Draw the stage; `anchor` is an item that stays where it is on the screen.
async function draw(anchor = null) {
  const id = ++state.layoutId, before = anchor && view.boxOf(anchor), start = performance.now();
  document.body.classList.add("busy");
  const layout = await layouts(drawingOf(graph()));
  if (id !== state.layoutId) return;
  view.show(graph(), layout);
  const after = before && view.boxOf(anchor);
  if (after) view.pan((before.x - after.x) * view.scale, (before.y - after.y) * view.scale);
  else view.fit(false);
  document.body.classList.remove("busy");
  document.body.dataset.layoutMilliseconds = Math.round(performance.now() - start);
  search(find("search").value);
  select(state.selected);
}

function select(item, isCentred = false) {
  state.selected = item;
  view.select(item, state.matches);
  const children = item ? itemPanel(item, each => visit(each), toggle) : stagePanel(graph(), searchFor);
  find("details").replaceChildren(...children);
  if (item) view.reveal(item, isCentred);
}

// Select an item that may lie inside closed ones.
async function visit(item) {
  let isHidden = false;
  for (let owner = item.owner; owner; owner = owner.owner) {
    isHidden ||= !owner.isOpen;
    owner.isOpen = true;
  }
  state.selected = item;
  find("results").hidden = true;
  if (isHidden) await draw(view.boxOf(item.owner) ? item.owner : null);
  select(item, true);
}

function toggle(item) {
  item.isOpen = !item.isOpen;
  for (let each = state.selected; each; each = each.owner) if (each === item) state.selected = item;
  return draw(item);
}

function toggleAll(isOpen) {
  for (const item of graph().ops) item.isOpen = isOpen && item.blocks.length > 0;
  let each = state.selected;
  while (each && each.owner && !isOpen) each = each.owner;
  state.selected = each;
  return draw();
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = item => {
    const outputs = item.node ? item.node.outputs.flatMap(([, values]) => values) : [];
    const values = outputs.map(value => value.name);
    const name = [item.label, item.node ? item.node.op : item.kind, ...values].join(" ").toLowerCase();
    return words.every(word => name.includes(word));
  };
  state.matches = words.length ? [...allItems(graph())].filter(isMatch) : [];
  find("matches").textContent = words.length ? `${state.matches.length} found` : "";
  const list = state.matches.slice(0, 100).map(item => html("li", {}, itemLink(item, each => visit(each))));
  find("results").replaceChildren(...list);
  view.select(state.selected, state.matches);
}

function searchFor(text) {
  find("search").value = text;
  search(text);
  find("search").focus();
}

function nextMatch(step) {
  if (!state.matches.length) return;
  const index = state.matches.indexOf(state.selected);
  const next = index < 0 && step < 0 ? state.matches.length - 1 : index + step;
  visit(state.matches[(next + state.matches.length) % state.matches.length]);
}

function move(step) {
  const items = graph().items, {selected} = state;
  if (!selected) return select(items[0] || null);
  const [next] = {up: selected.sources, down: selected.targets}[step] || [];
  const siblings = selected.graph.items;
  const item = next || {left: siblings[selected.index - 1], right: siblings[selected.index + 1]}[step];
  if (!item) return;
  select(item);
  // Screen readers speak the label of the focused item; hidden slabs appear with the next frame.
  requestAnimationFrame(() => view.elements.get(item)?.focus({preventScroll: true}));
}

const KEYS = {
  "ArrowUp": () => move("up"), "ArrowDown": () => move("down"),
  "ArrowLeft": () => move("left"), "ArrowRight": () => move("right"),
  "Enter": () => { if (state.selected && state.selected.blocks.length) toggle(state.selected); },
  "+": () => view.zoom(1.25), "=": () => view.zoom(1.25), "-": () => view.zoom(0.8), "0": () => view.fit(true),
  "/": () => find("search").select(), "Escape": () => { searchFor(""); select(null); find("canvas").focus(); },
};

document.addEventListener("keydown", event => {
  const isTyping = event.target.matches("input, select");
  const isButton = event.target.matches("button, summary") && event.key === "Enter";
  if (event.ctrlKey || event.metaKey || event.altKey || isButton || (isTyping && event.key !== "Escape")) return;
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});

find("search").addEventListener("input", event => {
  find("results").hidden = false;
  search(event.target.value);
});
find("search").addEventListener("keydown", event => { if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1); });
find("zoom-in").addEventListener("click", KEYS["+"]);
find("zoom-out").addEventListener("click", KEYS["-"]);
find("whole").addEventListener("click", KEYS["0"]);
find("open-all").addEventListener("click", () => toggleAll(true));
find("close-all").addEventListener("click", () => toggleAll(false));
find("theme").addEventListener("click", () => {
  const isDark = getComputedStyle(document.body).getPropertyValue("--is-dark").trim() === "1";
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
});
find("stage").append(...DATA.stages.map(({name}, index) => html("option", {value: index}, name)));
find("stage").addEventListener("change", event => {
  const {selected} = state;
  state.stage = Number(event.target.value);
  const isSame = item => item.kind === selected.kind && item.label === selected.label;
  const same = selected && [...allItems(graph())].find(isSame);
  state.selected = null;
  draw().then(() => { if (same) visit(same); });
});
draw();
