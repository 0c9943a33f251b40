"use strict";
// The look of an item: its lines of text, its size, and its SVG elements.

const SVG = "http://www.w3.org/2000/svg";
const TITLE = {font: "600 13px system-ui, sans-serif", height: 24};
const LINE = {font: "11px system-ui, sans-serif", height: 15};
const PADDING = 10;
const MAX_CHARACTERS = 44;
const MAX_WEIGHTS = 3;  // lines
const MAX_MAIN_OPS = 3;
const pen = document.createElement("canvas").getContext("2d");

const widths = new Map();
function textWidth(text, {font}) {
  const key = `${font}${text}`;
  if (!widths.has(key)) {
    pen.font = font;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

function shorten(text) {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, 25)}…${text.slice(-18)}`;
}

// The title and the lines below it.
function captionOf(item) {
  if (item.value) return {title: shorten(item.label), lines: [shapeText(item.value)]};
  const {op, device, activation, main, size} = item.node;
  const lines = item.kind === "repeat" ? [
    `${size} ops: ${main.slice(0, MAX_MAIN_OPS).join(", ")}${main.length > MAX_MAIN_OPS ? " …" : ""}`,
  ] : weightLines(item);
  if (item.isOp && item.blocks.length && !item.isOpen) lines.push(`${countOps(item.blocks)} ops inside`);
  const [value, count] = mainOutput(item);
  if (value) lines.push(`→ ${shapeText(value)}${count > 1 ? ` and ${count - 1} more` : ""}`);
  if (value?.quant) lines.push(value.quant);
  const time = timeOf(item), error = colouring === "error" && errorOf(item);
  if (time) lines.push(`${microseconds(time.us)}, ${percent(time.share)}`);
  if (error) lines.push(error.error === null ? error.problem : `error ${scientific(error.error)}`);
  const title = item.kind === "repeat" ? item.label
    : [op, activation && `+ ${activation}`, device && `on ${device}`].filter(Boolean).join(" ");
  return {title: shorten(title), lines: lines.map(shorten)};
}

function weightLines(item) {
  const lines = item.weights.slice(0, MAX_WEIGHTS).map(([slot, value]) => {
    const [, number] = value.data.match(/^\[*([^\s,\]]+)\]*$/) || [];
    return number ? `${slot} = ${number}` : `${slot} ${shapeText(value)}`;
  });
  if (item.weights.length > MAX_WEIGHTS) lines.push(`${item.weights.length - MAX_WEIGHTS} more weights`);
  return lines;
}

// The drawing of a graph as layout.js reads it.
function drawingOf(graph) {
  return {nodes: graph.items.map(sizeOf), edges: graph.edges.map(({source, target}) => [source.index, target.index])};
}

function sizeOf(item) {
  const {title, lines} = captionOf(item);
  const toggle = item.blocks.length ? 18 : 0;
  const all = [textWidth(title, TITLE) + toggle, ...lines.map(line => textWidth(line, LINE))];
  const size = {
    width: Math.ceil(Math.max(...all)) + 2 * PADDING,
    height: TITLE.height + lines.length * LINE.height + (lines.length ? 8 : 0),
  };
  return item.isOpen ? {...size, blocks: item.blocks.map(drawingOf)} : size;
}

function svgElement(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The group of an item with its box; items inside it have groups of their own.
function boxElement(item, box) {
  const {title, lines} = captionOf(item), isEnd = Boolean(item.value);
  const group = svgElement("g", {
    class: `item ${item.kind}`, transform: `translate(${box.x} ${box.y})`, style: colourStyle(colourOf(item)),
    tabindex: "-1", role: "button", "aria-label": [title, ...lines, `output ${item.label}`].join(" "),
  });
  const radius = isEnd ? 14 : 7;
  if (item.kind === "repeat" && !item.isOpen)
    for (const shift of [8, 4]) group.append(svgElement("rect", {
      class: "sheet", x: shift, y: -shift, width: box.width, height: box.height, rx: radius,
    }));
  group.append(svgElement("rect", {class: "body", width: box.width, height: box.height, rx: radius}));
  if (!isEnd) group.append(svgElement("path", {class: "head", d: headPath(box.width, TITLE.height, radius)}));
  if (item.isOpen) group.classList.add("open");
  group.append(svgElement("text", {class: "title", x: PADDING, y: 17}, title));
  lines.forEach((line, index) => {
    const y = TITLE.height + 15 + index * LINE.height - (isEnd ? 4 : 0);
    group.append(svgElement("text", {class: "line", x: PADDING, y}, line));
  });
  if (item.blocks.length) {
    group.append(svgElement("text", {class: "toggle", x: box.width - 18, y: 17}, item.isOpen ? "▾" : "▸"));
    group.setAttribute("aria-expanded", item.isOpen);
  }
  return group;
}

function edgeElement(edge, points) {
  return svgElement("path", {class: edge.isEffect ? "edge effect" : "edge", d: edgePath(points)});
}

// Straight down where an edge keeps its column, an S between columns.
function edgePath(points) {
  const round = value => Math.round(value * 10) / 10;
  let path = `M${round(points[0][0])} ${round(points[0][1])}`;
  for (let index = 1; index < points.length; index++) {
    const [x0, y0] = points[index - 1], [x, y] = points[index];
    const half = round((y0 + y) / 2);
    const end = `${round(x)} ${round(y)}`;
    path += Math.abs(x - x0) < 0.5 ? `L${end}` : `C${round(x0)} ${half} ${round(x)} ${half} ${end}`;
  }
  return path;
}

function headPath(width, height, radius) {
  return `M0 ${height}V${radius}Q0 0 ${radius} 0H${width - radius}Q${width} 0 ${width} ${radius}V${height}Z`;
}
