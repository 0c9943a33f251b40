"use strict";
// The tab of one run: a lane for each place, a bar for each call of an op.

const LANE = 44;

class Timeline {
  constructor(root, data) {
    Object.assign(this, {root, data, run: 0, from: 0, to: 1});
    const options = data.shown.map(({number, length}, index) =>
      html("option", {value: index}, `run ${number + 1}: ${microseconds(length)}`));
    this.chart = svgElement("svg", {class: "chart", role: "group", "aria-label": "Calls of ops in one run, by device and time"});
    root.replaceChildren(
      html("div", {class: "bar-of-tools"},
        html("label", {}, "Run ", html("select", {id: "run", onchange: event => { this.run = Number(event.target.value); this.reset(); }}, ...options)),
        html("button", {onclick: () => this.zoom(0.5), "aria-label": "Zoom in"}, "+"),
        html("button", {onclick: () => this.zoom(2), "aria-label": "Zoom out"}, "−"),
        html("button", {onclick: () => this.reset()}, "Whole run"),
        html("span", {class: "note"}, "Scroll to zoom, drag to move, click a bar for its op.")),
      this.chart, html("p", {class: "note"}, data.summary), part("Time by op type", typesTable(stageGraph(DATA.stages.length - 1, false))));
    interactive(this.chart, index => this.lines(index), index => this.visit(index));
    this.chart.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY / 400), this.timeAt(event.offsetX));
    }, {passive: false});
    let last = null;
    this.chart.addEventListener("pointerdown", event => { last = event.clientX; });
    this.chart.addEventListener("pointermove", event => {
      if (last === null || !event.buttons) { last = null; return; }
      const by = (last - event.clientX) / this.width * (this.to - this.from);
      last = event.clientX;
      this.range(this.from + by, this.to + by);
    });
    this.reset();
  }

  reset() { this.range(0, this.data.shown[this.run].length); }

  zoom(factor, middle = (this.from + this.to) / 2) {
    const {length} = this.data.shown[this.run];
    const size = Math.min(length, Math.max((this.to - this.from) * factor, length / 5000));
    const from = middle - (middle - this.from) * size / (this.to - this.from);
    this.range(from, from + size);
  }

  range(from, to) {
    const {length} = this.data.shown[this.run], size = Math.min(to - from, length);
    this.from = Math.min(Math.max(0, from), length - size);
    this.to = this.from + size;
    this.draw();
  }

  timeAt(x) { return this.from + (x - this.left) / this.width * (this.to - this.from); }

  draw() {
    const total = this.root.clientWidth || 900;
    const {calls} = this.data.shown[this.run], {ops} = this.data;
    const lanes = new Map();
    for (const [row, , , depth] of calls) {
      const name = targetOf(ops[row][3]) || "host", key = `${name}${depth ? ` in a block${depth > 1 ? ` (${depth})` : ""}` : ""}`;
      if (!lanes.has(key)) lanes.set(key, lanes.size);
    }
    this.left = Math.min(150, 16 + Math.max(...[...lanes.keys()].map(name => textWidth(name, LINE)), 20));
    this.width = total - this.left - 16;
    const at = time => this.left + (time - this.from) / (this.to - this.from) * this.width;
    const bottom = 10 + lanes.size * LANE;
    const children = axisX(ticks(this.from, this.to, Math.max(2, this.width / 110)), at, microseconds, 6, bottom);
    for (const [name, lane] of lanes) children.push(svgElement("text", {
      class: "tick", x: this.left - 8, y: 10 + lane * LANE + LANE / 2 + 4, "text-anchor": "end"}, name));
    let isFirst = true;
    calls.forEach(([row, start, length, depth], index) => {
      if (start > this.to || start + length < this.from) return;
      const place = targetOf(ops[row][3]) || "host";
      const lane = lanes.get(`${place}${depth ? ` in a block${depth > 1 ? ` (${depth})` : ""}` : ""}`);
      const [x, end] = [Math.max(this.left, at(start)), Math.min(this.left + this.width, at(start + length))];
      const [name, , hue] = categoryOf(ops[row][2]);
      children.push(svgElement("rect", {
        class: "mark", x, y: 12 + lane * LANE, width: Math.max(1, end - x), height: LANE - 4, rx: 2,
        style: colourStyle({hue, tint: name === "other" ? 12 : 48}), "data-index": index, tabindex: isFirst ? "0" : "-1",
        role: "button", "aria-label": this.lines(index).join(", "),
      }));
      if (end - x > 46) children.push(svgElement("text", {class: "inside", x: x + 4, y: 12 + lane * LANE + LANE / 2 + 2},
        cut(ops[row][2], end - x - 8)));
      isFirst = false;
    });
    children.push(axisTitle(this.left + this.width / 2, bottom + 34, "time since the start of the run"));
    this.chart.setAttribute("viewBox", `0 0 ${total} ${bottom + 44}`);
    this.chart.setAttribute("height", bottom + 44);
    this.chart.replaceChildren(...children);
  }

  lines(index) {
    const [row, start, length] = this.data.shown[this.run].calls[index];
    const [block, name, op, place, , , , , share, , shapes] = this.data.ops[row];
    return [`${op} ${name}`, `${microseconds(length)} from ${microseconds(start)}`, place,
      block === "main" ? "" : `in ${block}`, shapes, `${percent(share)} of the time of all ops`].filter(Boolean);
  }

  visit(index) {
    const [row] = this.data.shown[this.run].calls[index], [block, name] = this.data.ops[row];
    tooltip.hide();
    visitValue(block, name);
  }
}

function cut(text, width) {
  let shown = text;
  while (shown && textWidth(shown, LINE) > width) shown = shown.slice(0, -1);
  return shown === text ? text : shown.length > 2 ? `${shown.slice(0, -1)}…` : "";
}
