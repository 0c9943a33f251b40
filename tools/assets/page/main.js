"use strict";
// The page's tabs, keys and controls.

const TABS = ["overview", "graph", "ops", "timeline", "memory", "differences"].filter(name =>
  !["timeline", "memory", "differences"].includes(name) || (DATA[name] && (name !== "memory" || DATA.memory.arenas.length)));
const charts = new Map();  // name of a tab → its chart, made when it is first shown

const CHARTS = {timeline: Timeline, memory: MemoryChart, differences: Differences};

function openTab(name) {
  document.body.dataset.tab = name;
  for (const each of TABS) {
    find(`tab-${each}`).setAttribute("aria-selected", each === name);
    find(`tab-${each}`).tabIndex = each === name ? 0 : -1;
    find(each).hidden = each !== name;
  }
  tooltip.hide();
  showTab(name);
}

function showTab(name) {
  if (name === "overview" && !find("overview").childElementCount) find("overview").replaceChildren(...overview());
  if (name === "graph") for (const pane of shownPanes()) pane.shown();
  if (name === "ops") opsTab.show();
  if (!CHARTS[name]) return;
  if (charts.has(name)) charts.get(name).draw();
  else charts.set(name, new CHARTS[name](find(name), DATA[name]));
}

const isGraph = () => document.body.dataset.tab === "graph";
const main = action => () => { if (isGraph()) action(); };
const KEYS = {
  "ArrowUp": main(() => move("up")), "ArrowDown": main(() => move("down")),
  "ArrowLeft": main(() => move("left")), "ArrowRight": main(() => move("right")),
  "Enter": main(() => { if (state.selected && state.selected.blocks.length) toggle(state.selected); }),
  "+": main(() => zoomAll(1.25)), "=": main(() => zoomAll(1.25)), "-": main(() => zoomAll(0.8)),
  "0": main(() => { for (const pane of shownPanes()) pane.fit(true); }),
  "[": () => step(-1), "]": () => step(1), "n": main(nextChange),
  "/": () => find("search").select(),
  "Escape": () => {
    searchFor("");
    select(null);
    if (isGraph()) mainPane.view.canvas.focus(); else find("search").blur();
  },
};

function zoomAll(factor) { for (const pane of shownPanes()) pane.view.zoom(factor); }

document.addEventListener("keydown", event => {
  const isTyping = event.target.matches("input, select");
  const isButton = event.target.matches("button, summary, .mark, [role=tab]") && /^(Enter|Arrow.*)$/.test(event.key);
  const isScroll = event.target.matches(".scroll") && event.key.startsWith("Arrow");
  const isOther = event.ctrlKey || event.metaKey || event.altKey;
  if (isOther || isButton || isScroll || (isTyping && event.key !== "Escape")) return;
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});

for (const name of TABS) find(`tab-${name}`).addEventListener("click", () => openTab(name));
for (const name of Object.keys(CHARTS)) if (!TABS.includes(name)) find(`tab-${name}`).hidden = true;
find("tabs").addEventListener("keydown", event => {
  const by = {ArrowRight: 1, ArrowLeft: -1}[event.key], at = TABS.indexOf(document.body.dataset.tab);
  if (!by) return;
  event.preventDefault();
  openTab(TABS[(at + by + TABS.length) % TABS.length]);
  find(`tab-${document.body.dataset.tab}`).focus();
});

find("search").addEventListener("input", event => {
  find("results").hidden = !isGraph();
  search(event.target.value);
  opsTab.filter(event.target.value);
});
find("search").addEventListener("keydown", event => {
  if (event.key !== "Enter") return;
  if (!isGraph() && document.body.dataset.tab !== "ops") openTab("graph");
  nextMatch(event.shiftKey ? -1 : 1);
});
find("zoom-in").addEventListener("click", KEYS["+"]);
find("zoom-out").addEventListener("click", KEYS["-"]);
find("whole").addEventListener("click", KEYS["0"]);
find("open-all").addEventListener("click", () => toggleAll(true));
find("close-all").addEventListener("click", () => toggleAll(false));
find("fold").addEventListener("click", () => setFolded(!isFolded()));
find("next-change").addEventListener("click", nextChange);
find("previous").addEventListener("click", () => step(-1));
find("next").addEventListener("click", () => step(1));
find("theme").addEventListener("click", () => {
  const isDark = getComputedStyle(document.body).getPropertyValue("--is-dark").trim() === "1";
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  for (const pane of shownPanes()) pane.view.pan(0, 0);
});
const stageOptions = () => DATA.stages.map(({name}, index) => html("option", {value: index}, name));
find("stage").append(...stageOptions());
find("beside").append(html("option", {value: -1}, "nothing"), ...stageOptions());
find("stage").addEventListener("change", event => showStages(Number(event.target.value), Number(find("beside").value)));
find("beside").addEventListener("change", event => showStages(mainPane.stage, Number(event.target.value)));
for (const [name, [title, isKnown]] of COLOURINGS) if (isKnown()) find("colour").append(html("option", {value: name}, title));
find("colour").addEventListener("change", event => {
  colouring = event.target.value;
  recolour();
});
window.addEventListener("resize", () => showTab(document.body.dataset.tab));
window.addEventListener("beforeprint", preparePrint);
window.addEventListener("afterprint", () => {
  find("print").replaceChildren();
  openTab(document.body.dataset.tab);
});

// All tabs below each other, and the graph in slices of the height of a page.
function preparePrint() {
  const {view} = mainPane, {width, height} = view.layout, across = Math.max(width + 40, 700), slice = across * 1.3;
  const drawing = view.root.cloneNode(true), slices = [];
  drawing.removeAttribute("transform");
  for (const slab of drawing.children) slab.style.display = "";
  for (let top = -20; top < height + 20; top += slice) {
    const page = svgElement("svg", {viewBox: `-20 ${top} ${across} ${slice}`, class: "slice"});
    page.append(top < 0 ? svgElement("g", {id: "printed"}, drawing) : svgElement("use", {href: "#printed"}));
    slices.push(page);
  }
  find("print").replaceChildren(...slices);
  for (const name of TABS) {
    find(name).hidden = false;
    showTab(name);
  }
}

mainPane.stage = DATA.stages.length - 1;
colouring = TIMES.size ? "time" : ERRORS.size ? "error" : DATA.placement?.devices.length ? "place" : "kind";
find("colour").value = colouring;
openTab(DATA.placement || DATA.timeline || DATA.differences ? "overview" : "graph");
showStages(mainPane.stage, -1).then(showLegend);
