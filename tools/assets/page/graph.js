"use strict";
// The tab of the graph: stages, one or two panes, selection, search.

const find = id => document.getElementById(id);
const state = {selected: null, matches: [], changes: [], fold: null, listeners: []};  // fold: null before the user decides
const panes = ["pane-a", "pane-b"].map(id => new Pane(find(id), item => select(item), toggle));
const [mainPane, besidePane] = panes;

const graph = () => mainPane.graph;
const isFolded = () => state.fold ?? stageGraph(mainPane.stage, false).ops.length >= MIN_FOLDED;
const isBeside = () => !besidePane.element.hidden;
const shownPanes = () => isBeside() ? panes : [mainPane];
const paneOf = item => panes.find(pane => pane.has(item)) || mainPane;

// Draw both panes; `anchor` is an item that stays where it is on the screen.
async function draw(anchor = null) {
  const start = performance.now();
  document.body.classList.add("busy");
  find("fold").setAttribute("aria-pressed", isFolded());
  const drawn = await Promise.all(shownPanes().map(pane =>
    pane.draw(pane.stage, isFolded(), anchor && pane.has(anchor) ? anchor : null)));
  if (!drawn.every(Boolean)) return;
  document.body.classList.remove("busy");
  document.body.dataset.layoutMilliseconds = Math.round(performance.now() - start);
  markChanges();
  search(find("search").value);
  select(state.selected);
}

// Draw the boxes again, with other colours or lines, in the same places.
async function recolour() {
  await draw(state.selected || mainPane.graph.items[0] || null);
  showLegend();
}

function showLegend() {
  find("legend").replaceChildren(...legend().map(([title, colour]) =>
    html("li", {style: colourStyle(colour)}, title)));
}

function markChanges() {
  state.changes = [];
  find("changes").textContent = "";
  find("next-change").hidden = !isBeside();
  if (!isBeside()) return;
  const before = mainPane.markChanges(besidePane.graph, false);
  const after = besidePane.markChanges(mainPane.graph, true);
  state.changes = [...before, ...after.filter(([, kind]) => kind === "added")].map(([item]) => item);
  const count = (marked, kind) => marked.filter(([, each]) => each === kind).length;
  const parts = [[count(before, "removed"), "removed"], [count(after, "added"), "added"], [count(before, "changed"), "changed"]];
  find("changes").textContent = state.changes.length
    ? parts.filter(([number]) => number).map(([number, kind]) => `${number} ${kind}`).join(", ") : "no op differs";
}

function nextChange() {
  if (!state.changes.length) return;
  const index = state.changes.findIndex(item => item === state.selected || item.key === state.selected?.key);
  visit(state.changes[(index + 1) % state.changes.length]);
}

// Select an item of any pane, and its counterpart in the other one.
function select(item, isCentred = false) {
  state.selected = item;
  for (const pane of shownPanes()) {
    const own = item && (pane.has(item) ? item : pane.find(item));
    const shown = own && pane.visible(own), matches = pane === mainPane ? state.matches : [];
    pane.view.select(shown, matches.map(match => pane.visible(match)));
    if (shown) pane.view.reveal(shown, isCentred || !pane.has(item));
  }
  const children = item ? itemPanel(item, each => visit(each), toggle) : stagePanel(graph(), searchFor);
  find("details").replaceChildren(...children);
  document.body.classList.toggle("has-selection", Boolean(item));
  for (const listener of state.listeners) listener(item);
}

// Select an item that may lie inside closed ones.
async function visit(item) {
  let isHidden = false;
  const pane = paneOf(item);
  for (let owner = item.owner; owner; owner = owner.owner) {
    isHidden ||= !owner.isOpen;
    owner.isOpen = true;
  }
  state.selected = item;
  find("results").hidden = true;
  if (isHidden) await draw(pane.view.boxOf(item.owner) ? item.owner : null);
  select(item, true);
}

// Select the op that writes a value of a block, at the present stage or the last one that has it.
function visitValue(block, name) {
  const writes = item => item.node.outputs.some(([, values]) => values.some(value => value.name === name));
  const inGraph = each => each && (each.byKey.get(keyOf(block, name)) ||
    each.ops.find(item => item.graph.block === block && writes(item)) || each.ops.find(writes));
  const item = inGraph(graph());
  if (item) visit(item);
  return Boolean(item);
}

function toggle(item) {
  item.isOpen = !item.isOpen;
  for (let each = state.selected; each; each = each.owner) if (each === item) state.selected = item;
  return draw(item);
}

function toggleAll(isOpen) {
  for (const pane of shownPanes())
    for (const item of allItems(pane.graph)) item.isOpen = isOpen && item.blocks.length > 0;
  let each = state.selected;
  while (each && each.owner && !isOpen) each = each.owner;
  state.selected = each;
  return draw();
}

// Show other stages; the selection stays on the op of the same name.
async function showStages(stage, beside) {
  const {selected} = state;
  mainPane.stage = stage;
  besidePane.element.hidden = beside < 0;
  besidePane.stage = beside;
  find("stage").value = stage;
  find("beside").value = beside;
  find("previous").disabled = stage === 0;
  find("next").disabled = stage === DATA.stages.length - 1;
  state.selected = null;
  await draw();
  const same = selected && mainPane.find(selected);
  if (same) await visit(same);
}

function step(by) {
  const stage = Math.min(DATA.stages.length - 1, Math.max(0, mainPane.stage + by));
  const beside = isBeside() ? Math.min(DATA.stages.length - 1, Math.max(0, besidePane.stage + by)) : -1;
  return showStages(stage, beside);
}

function setFolded(fold) {
  const {selected} = state;
  state.fold = fold;
  state.selected = null;
  return draw().then(() => {
    const same = selected?.isOp && mainPane.find(selected);
    if (same) visit(same);
  });
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = item => {
    const outputs = item.node ? item.node.outputs.flatMap(([, values]) => values) : [];
    const values = outputs.map(value => value.name);
    const name = [item.label, item.type, placeOf(item), ...values].join(" ").toLowerCase();
    return words.every(word => name.includes(word));
  };
  state.matches = words.length ? [...allItems(graph())].filter(item => item.kind !== "repeat" && isMatch(item)) : [];
  find("matches").textContent = words.length ? `${state.matches.length} found` : "";
  const list = state.matches.slice(0, 100).map(item => html("li", {}, itemLink(item, each => visit(each))));
  find("results").replaceChildren(...list);
  mainPane.view.select(state.selected && mainPane.visible(mainPane.find(state.selected)),
    state.matches.map(match => mainPane.visible(match)));
}

function searchFor(text) {
  find("search").value = text;
  find("search").dispatchEvent(new Event("input"));
  find("search").focus();
}

function nextMatch(by) {
  if (!state.matches.length) return;
  const index = state.matches.indexOf(state.selected);
  const next = index < 0 && by < 0 ? state.matches.length - 1 : index + by;
  visit(state.matches[(next + state.matches.length) % state.matches.length]);
}

function move(direction) {
  const items = graph().items, {selected} = state;
  if (!selected) { select(items[0] || null); return; }
  const [next] = {up: selected.sources, down: selected.targets}[direction] || [];
  const siblings = selected.graph.items;
  const item = next || {left: siblings[selected.index - 1], right: siblings[selected.index + 1]}[direction];
  if (!item) return;
  select(item);
  // Screen readers speak the label of the focused item; hidden slabs appear with the next frame.
  requestAnimationFrame(() => paneOf(item).view.elements.get(item)?.focus({preventScroll: true}));
}
