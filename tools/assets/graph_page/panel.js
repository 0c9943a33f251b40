"use strict";
// The panel beside the drawing: facts about the stage or about the selected item.

function html(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

function section(title, ...children) {
  return html("section", {}, html("h3", {}, title), ...children);
}

function table(rows) {
  return html("table", {}, ...rows.map(cells => html("tr", {}, ...cells.map(cell => html("td", {}, cell)))));
}

function itemLink(item, onSelect) {
  const text = item.kind === "op" ? `${item.node.op} ${item.label}` : `${item.kind} ${item.label}`;
  return html("button", {class: "link", onclick: () => onSelect(item)}, text);
}

// Panel of a stage: ops by type, devices, colours, keys.
function stagePanel(graph, onSearch) {
  const counts = new Map();
  for (const {node} of graph.ops) counts.set(node.op, (counts.get(node.op) || 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const colours = CATEGORIES.map(([name, title]) => [name, title]).concat([["other", "other"]]);
  return [
    html("h2", {}, `${graph.ops.length} op${graph.ops.length === 1 ? "" : "s"}`),
    DEVICES.length ? section("Devices", html("ul", {class: "legend"}, ...DEVICES.map(device =>
      html("li", {class: "region", style: `--hue: ${deviceHue(device)}`}, device)))) : null,
    section("Op types", table(rows.map(([op, count]) => [
      html("button", {class: `link swatch ${categoryOf(op)}`, onclick: () => onSearch(op)}, op), `${count}`,
    ]))),
    section("Colours", html("ul", {class: "legend"},
      ...colours.map(([name, title]) => html("li", {class: name}, title)))),
    section("Keys", table([
      ["/", "search"], ["↑ ↓", "to a source, to a target"], ["← →", "to the previous, the next op"],
      ["Enter", "open or close a nested graph"], ["+ − 0", "zoom, whole graph"], ["Esc", "clear"],
    ].map(([keys, text]) => [html("kbd", {}, keys), text])),
    html("p", {}, "Drag or scroll to move, Ctrl and scroll to zoom.")),
  ].filter(Boolean);
}

function valueRow(slot, value, ends, onSelect) {
  return html("div", {class: "value"},
    html("div", {}, html("b", {}, slot), ` ${value.name}`),
    html("code", {}, value.type),
    value.data ? html("code", {}, value.data) : null,
    ...ends.map(item => itemLink(item, onSelect)));
}

// Panel of an item.
function itemPanel(item, onSelect, onToggle) {
  if (item.kind !== "op") {
    const ends = item.kind === "argument" ? item.value.readers : [item.value.producer].filter(Boolean);
    return [
      html("h2", {class: `swatch ${item.kind}`}, item.label),
      html("p", {}, `${item.kind} of ${item.graph.name}`),
      section(item.kind === "argument" ? "Read by" : "Written by", valueRow("", item.value, ends, onSelect)),
    ];
  }
  const {node} = item, names = item.blocks.map(block => block.name).join(", ");
  const blocks = `${item.isOpen ? "Close" : "Open"} ${names} (${countOps(item.blocks)} ops)`;
  const inputs = node.inputs.flatMap(([slot, values]) => values.map(value =>
    valueRow(slot, value, [value.producer].filter(Boolean), onSelect)));
  const outputs = node.outputs.flatMap(([slot, values]) => values.map(value =>
    valueRow(slot, value, value.readers, onSelect)));
  return [
    html("h2", {class: `swatch ${categoryOf(node.op)}`}, node.op),
    html("p", {}, `${item.label}, in ${item.graph.name}${node.effect ? "; its order among effects is fixed" : ""}`),
    item.owner ? html("p", {}, "inside ", itemLink(item.owner, onSelect)) : null,
    item.blocks.length ? html("button", {onclick: () => onToggle(item)}, blocks) : null,
    section("Runs on", ...placeLines(item)),
    node.attrs.length ? section("Attributes", table(node.attrs)) : null,
    node.defaults.length ? html("details", {},
      html("summary", {}, `${node.defaults.length} with default values or unknown to the op's schema`),
      table(node.defaults)) : null,
    inputs.length ? section("Inputs", ...inputs) : null,
    outputs.length ? section("Outputs", ...outputs) : null,
  ].filter(Boolean);
}

// Where an op runs, and why.
function placeLines(item) {
  const {node} = item, device = deviceOf(item), kernels = KERNELS.get(node.op) || [];
  const placed = placementOf(item);
  const lines = [html("p", {}, html("b", {}, device || node.place || placed.place || "not chosen at this stage"))];
  const add = (...children) => lines.push(html("p", {}, ...children));
  if (node.device) add(`The region runs on ${device} as a whole.`);
  else if (device) add(`It is part of a region of ${device}.`);
  for (const [name, reason] of placed.declined) if (name !== device) add(html("b", {}, name), ` declined: ${reason}`);
  if (device || !kernels.length) return lines;
  if (node.place) add("It is the first place of the Config with a kernel for the op's element type and layout.");
  else if (placed.place) add("The kernel is not chosen at this stage.");
  add("Kernels:");
  return [...lines, html("code", {}, kernels.join("\n"))];
}
