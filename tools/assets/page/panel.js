"use strict";
// The panel beside the tabs: facts about the stage or about the selected item.

function html(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function section(title, ...children) {
  return html("section", {}, html("h3", {}, title), ...children);
}

// A section of a tab.
function part(title, ...children) {
  return html("section", {}, html("h2", {class: "title"}, title), ...children);
}

// Rows of a name and a text.
function table(rows) {
  return html("table", {}, html("tbody", {}, ...rows.map(([name, ...cells]) =>
    html("tr", {}, html("th", {scope: "row"}, name), ...cells.map(cell => html("td", {}, cell))))));
}

function swatch(item) { return html("i", {class: "swatch", style: colourStyle(colourOf(item))}); }

function itemLink(item, onSelect) {
  return html("button", {class: "link", onclick: () => onSelect(item)}, `${item.type} ${item.label}`);
}

// Panel of a stage: ops by type, keys.
function stagePanel(graph, onSearch) {
  const counts = new Map();
  for (const {node} of graph.ops) counts.set(node.op, (counts.get(node.op) || 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return [
    html("h2", {}, `${graph.ops.length} op${graph.ops.length === 1 ? "" : "s"}`),
    html("p", {class: "note"}, "Select an op to see its attributes, shapes, place and time."),
    section("Op types", table(rows.map(([op, count]) => [
      html("button", {class: "link", onclick: () => onSearch(op)}, op), `${count}`,
    ]))),
    section("Keys", table([
      ["/", "search"], ["↑ ↓", "to a source, to a target"], ["← →", "to the previous, the next op"],
      ["Enter", "open or close a block"], ["[ ]", "previous, next stage"], ["n", "next change"],
      ["+ − 0", "zoom, whole graph"], ["Esc", "clear"],
    ].map(([keys, text]) => [html("kbd", {}, keys), text])),
    html("p", {}, "Drag or scroll to move, Ctrl and scroll or two fingers to zoom, double click to open.")),
  ];
}

function valueRow(slot, value, ends, onSelect) {
  return html("div", {class: "value"},
    html("div", {}, html("b", {}, slot), ` ${value.name}`),
    html("code", {}, typeText(value)),
    value.quant ? html("code", {}, value.quant) : null,
    value.data ? html("code", {}, value.data) : null,
    ...ends.map(item => itemLink(item, onSelect)));
}

function openButton(item, onToggle) {
  if (!item.blocks.length) return null;
  const names = item.kind === "repeat" ? "the block" : item.blocks.map(block => block.name).join(", ");
  const text = `${item.isOpen ? "Close" : "Open"} ${names} (${countOps(item.blocks)} ops)`;
  return html("button", {onclick: () => onToggle(item)}, text);
}

// Panel of an item.
function itemPanel(item, onSelect, onToggle) {
  if (item.value) {
    const ends = item.kind === "argument" ? item.value.readers : [item.value.producer].filter(Boolean);
    return [
      html("h2", {}, swatch(item), item.label),
      html("p", {}, `${item.kind} of ${item.graph.name}`),
      section(item.kind === "argument" ? "Read by" : "Written by", valueRow("", item.value, ends, onSelect)),
    ];
  }
  const {node} = item;
  const rows = (slots, ends) => slots.flatMap(([slot, values]) => values.map(value =>
    valueRow(slot, value, ends(value), onSelect)));
  const inputs = rows(node.inputs, value => [value.producer].filter(Boolean));
  const outputs = rows(node.outputs, value => value.readers);
  const facts = measuredRows(item);
  return [
    html("h2", {}, swatch(item), item.kind === "repeat" ? item.label : node.op),
    item.kind === "repeat" ? html("p", {}, `${node.size} ops: ${node.main.join(", ")}`)
      : html("p", {}, `${item.label}, in ${item.graph.name}${node.effect ? "; its order among effects is fixed" : ""}`),
    item.owner ? html("p", {}, "inside ", itemLink(item.owner, onSelect)) : null,
    openButton(item, onToggle),
    item.isOp ? section("Runs on", ...placeLines(item)) : null,
    facts.length ? section("Measured", table(facts)) : null,
    node.attrs.length ? section("Attributes", table(node.attrs)) : null,
    node.defaults.length ? html("details", {},
      html("summary", {}, `${node.defaults.length} with default values or unknown to the op's schema`),
      table(node.defaults)) : null,
    inputs.length ? section("Inputs", ...inputs) : null,
    outputs.length ? section("Outputs", ...outputs) : null,
  ].filter(Boolean);
}

// Time, work and error of an item, where they are known.
function measuredRows(item) {
  const time = timeOf(item), error = errorOf(item), macs = macsOf(item), rows = [];
  if (time) rows.push(["time", `${microseconds(time.us)} a run, ${percent(time.share)} of all ops`]);
  const fused = item.isOp && !time && TIMES.get(item.key);
  if (fused) rows.push(["time", `${microseconds(fused.us)} a run, as a part of ${fused.op}`]);
  if (time?.calls > 1 && time.min !== undefined)
    rows.push(["one call", `${microseconds(time.min)} to ${microseconds(time.max)}, ${time.calls} calls`]);
  if (time?.bytes) rows.push(["bytes", `${grouped(time.bytes)} read and written`]);
  if (time?.shapes) rows.push(["shapes", time.shapes]);
  if (macs) rows.push(["MACs", grouped(macs)]);
  if (macs && time?.us) rows.push(["speed", `${(macs / time.us / 1e3).toPrecision(3)} billion MACs a second`]);
  if (error) rows.push(["error", `${error.error === null ? "" : scientific(error.error)} ${error.problem || "within the tolerance"}`]);
  return rows;
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
  return [...lines, html("details", {}, html("summary", {}, `${kernels.length} kernel${kernels.length === 1 ? "" : "s"}`),
    html("code", {}, kernels.join("\n")))];
}
