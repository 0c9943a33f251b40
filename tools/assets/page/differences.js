"use strict";
// The tab of two runs compared: errors of outputs and of all values in the order of the second run.

const ERROR_HEIGHT = 260;

class Differences {
  constructor(root, data) {
    const number = error => error === null ? null : Number(String(error).replace("inf", "Infinity"));
    Object.assign(this, {root, data});
    this.values = data.values.map(([block, name, opA, opB, error, problem]) =>
      ({block, name, opA, opB, error: number(error), problem}));
    this.chart = svgElement("svg", {class: "chart", role: "group", "aria-label": "Relative error of each value, in running order"});
    const only = Object.entries(data.only).filter(([, listed]) => listed.length).map(([side, listed]) =>
      html("details", {}, html("summary", {}, `${listed.length} values only in ${side}`),
        table(listed.map(([block, name, op]) => [block === "main" ? name : `${block}: ${name}`, op]))));
    const columns = [
      {title: "value", value: ({block, name}) => block === "main" ? name : `${block}: ${name}`},
      {title: "op in A", value: each => each.opA}, {title: "op in B", value: each => each.opB},
      {title: "relative error", value: each => each.error, text: each => each.error === null ? "" : scientific(each.error), isNumber: true},
      {title: "verdict", value: each => each.problem || "equal"},
    ];
    const outputs = data.outputs.map(([name, error, problem]) => ({name, error: number(error), problem}));
    this.quality = data.quality ? new Quality(data.quality) : null;
    root.replaceChildren(html("p", {class: "lead"}, data.sentence),
      part("Outputs", new DataTable("Outputs", [
        {title: "output", value: each => each.name}, columns[3], columns[4],
      ], outputs, null).element),
      part("Values in running order", this.chart, new DataTable("Values", columns, this.values,
        each => visitValue(each.block, each.name)).element),
      ...(this.quality ? [this.quality.element] : []), ...only);
    interactive(this.chart, index => this.lines(index), index => {
      tooltip.hide();
      visitValue(this.values[index].block, this.values[index].name);
    });
    this.draw();
  }

  draw() {
    if (this.quality) this.quality.draw(this.root.clientWidth || 900);
    const {tolerance} = this.data, total = this.root.clientWidth || 900, left = 70, top = 12, bottom = top + ERROR_HEIGHT;
    const width = total - left - 16, known = this.values.map(each => each.error).filter(error => error > 0 && error < Infinity);
    const high = Math.ceil(Math.log10(Math.max(tolerance || 1e-9, ...known))) + 1;
    const low = Math.min(Math.floor(Math.log10(Math.min(tolerance || 1, ...known, 1))) - 1, high - 2);
    const x = index => left + (index + 0.5) / Math.max(this.values.length, 1) * width;
    const y = error => bottom - (Math.min(high, Math.max(low, Math.log10(error || 10 ** low))) - low) / (high - low) * ERROR_HEIGHT;
    const steps = Math.max(1, Math.ceil((high - low) / 6)), powers = [];
    for (let power = low; power <= high; power += steps) powers.push(power);
    const children = [
      ...axisY(powers, power => y(10 ** power), power => power === low ? "0" : `1e${power}`, left, left + width),
      ...axisX(ticks(0, this.values.length, width / 70).filter(Number.isInteger), index => x(index - 0.5), String, top, bottom),
    ];
    if (tolerance) children.push(
      svgElement("line", {class: "limit", x1: left, x2: left + width, y1: y(tolerance), y2: y(tolerance)}),
      svgElement("text", {class: "tick", x: left + width, y: y(tolerance) - 5, "text-anchor": "end"}, `tolerance ${scientific(tolerance)}`));
    this.values.forEach((each, index) => children.push(svgElement("circle", {
      class: each.problem ? "mark wrong" : "mark", cx: x(index), cy: y(each.error === null ? Infinity : each.error), r: each.problem ? 4.5 : 3.5,
      style: colourStyle(each.problem ? {hue: 5, tint: 75} : {hue: 210, tint: 48}), "data-index": index, tabindex: index ? "-1" : "0", role: "button", "aria-label": this.lines(index).join(", "),
    })));
    children.push(axisTitle(left + width / 2, bottom + 34, "value, in the order of the second run"));
    this.chart.setAttribute("viewBox", `0 0 ${total} ${bottom + 44}`);
    this.chart.setAttribute("height", bottom + 44);
    this.chart.replaceChildren(...children);
  }

  lines(index) {
    const {name, opA, opB, error, problem} = this.values[index];
    return [name, opA === opB ? opA : `${opA} in A, ${opB} in B`, error === null ? "" : `relative error ${scientific(error)}`, problem || "equal"].filter(Boolean);
  }
}
