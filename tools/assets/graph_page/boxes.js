"use strict";
// The look of an item: its lines of text, its size, and its SVG elements.

const SVG = "http://www.w3.org/2000/svg";
const TITLE = {font: "600 13px system-ui, sans-serif", height: 24};
const LINE = {font: "11px system-ui, sans-serif", height: 15};
const PADDING = 10;
const MAX_CHARACTERS = 44;
const MAX_WEIGHTS = 3;  // lines
const pen = document.createElement("canvas").getContext("2d");

function textWidth(text, {font}) {
  pen.font = font;
  return pen.measureText(text).width;
}

function shorten(text) {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, 25)}…${text.slice(-18)}`;
}

// The title and the lines below it.
function captionOf(item) {
  if (item.kind !== "op") return {title: shorten(item.label), lines: [shapeText(item.value)]};
  const lines = item.weights.slice(0, MAX_WEIGHTS).map(([slot, value]) => {
    const [, number] = value.data.match(/^\[*([^\s,\]]+)\]*$/) || [];
    return number ? `${slot} = ${number}` : `${slot} ${shapeText(value)}`;
  });
  if (item.weights.length > MAX_WEIGHTS) lines.push(`${item.weights.length - MAX_WEIGHTS} more weights`);
  if (item.blocks.length && !item.isOpen) lines.push(`${countOps(item.blocks)} ops inside`);
  const outputs = item.node.outputs.flatMap(([, values]) => values);
  const main = outputs.find(value => value.readers.length) || outputs[0];
  if (main) lines.push(`→ ${shapeText(main)}${outputs.length > 1 ? ` and ${outputs.length - 1} more` : ""}`);
  const {op, device, activation} = item.node;
  const title = [op, activation && `+ ${activation}`, device && `on ${device}`].filter(Boolean).join(" ");
  return {title: shorten(title), lines: lines.map(shorten)};
}

// The drawing of a graph as layout.js reads it.
function drawingOf(graph) {
  return {nodes: graph.items.map(sizeOf), edges: graph.edges.map(({source, target}) => [source.index, target.index])};
}

function sizeOf(item) {
  const {title, lines} = captionOf(item);
  const toggle = item.blocks.length ? 18 : 0;
  const widths = [textWidth(title, TITLE) + toggle, ...lines.map(line => textWidth(line, LINE))];
  const size = {
    width: Math.ceil(Math.max(...widths)) + 2 * PADDING,
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
  const {title, lines} = captionOf(item), isOp = item.kind === "op";
  const group = svgElement("g", {
    class: `item ${isOp ? categoryOf(item.node.op) : item.kind}`, transform: `translate(${box.x} ${box.y})`,
    tabindex: "-1", role: "button", "aria-label": `${title} ${item.label}`,
  });
  const radius = isOp ? 7 : 14;
  group.append(svgElement("rect", {class: "body", width: box.width, height: box.height, rx: radius}));
  if (isOp) group.append(svgElement("path", {class: "head", d: headPath(box.width, TITLE.height, radius)}));
  if (isOp && item.node.device) {
    group.classList.add("region");
    group.style.setProperty("--hue", deviceHue(item.node.device));
  }
  group.append(svgElement("text", {class: "title", x: PADDING, y: 17}, title));
  lines.forEach((line, index) => {
    const y = TITLE.height + 15 + index * LINE.height - (isOp ? 0 : 4);
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

function deviceHue(device) {
  return [210, 30, 130, 330, 270, 170][DEVICES.indexOf(device) % 6];
}
