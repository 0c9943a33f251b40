"use strict";
// The part of the tab of two runs that compares a float model with its quantised one: SQNR of each value.

const QUALITY_HEIGHT = 220, CLEAR_DB = 60;

class Quality {
  constructor(data) {
    const number = each => each === null ? null : Number(String(each).replace("inf", "Infinity"));
    this.values = data.values.map(([name, op, sqnr, cosine, largestError, saturated]) =>
      ({name, op, sqnr: number(sqnr), cosine, largestError, saturated}));
    this.chart = svgElement("svg", {class: "chart", role: "group", "aria-label": "SQNR of each value in dB, in running order"});
    const table = new DataTable("Quality", [
      {title: "value", value: each => each.name}, {title: "op in B", value: each => each.op},
      {title: "SQNR in dB", value: each => each.sqnr, text: each => Number.isFinite(each.sqnr) ? each.sqnr.toFixed(1) : "exact", isNumber: true},
      {title: "cosine", value: each => each.cosine, text: each => each.cosine.toFixed(5), isNumber: true},
      {title: "largest error", value: each => each.largestError, text: each => scientific(each.largestError), isNumber: true},
      {title: "saturated", value: each => each.saturated, text: each => each.saturated === null ? "" : `${(100 * each.saturated).toFixed(2)} %`, isNumber: true},
    ], this.values, each => visitValue("main", each.name));
    this.element = part("Quantisation noise", html("p", {}, data.sentence), this.chart, table.element);
    interactive(this.chart, index => this.lines(index), index => {
      tooltip.hide();
      visitValue("main", this.values[index].name);
    });
  }

  draw(total) {
    const left = 70, top = 12, bottom = top + QUALITY_HEIGHT, width = total - left - 16;
    const low = Math.min(0, ...this.values.map(each => each.sqnr));
    const x = index => left + (index + 0.5) / Math.max(this.values.length, 1) * width;
    const y = sqnr => bottom - (Math.min(CLEAR_DB, sqnr) - low) / (CLEAR_DB - low) * QUALITY_HEIGHT;
    const children = [
      ...axisY(ticks(low, CLEAR_DB, 6), y, number => number === CLEAR_DB ? `≥ ${number} dB` : `${number} dB`, left, left + width),
      ...axisX(ticks(0, this.values.length, width / 70).filter(Number.isInteger), index => x(index - 0.5), String, top, bottom),
    ];
    this.values.forEach((each, index) => children.push(svgElement("circle", {
      class: "mark", cx: x(index), cy: y(each.sqnr), r: each.saturated > 0 ? 4.5 : 3.5,
      style: colourStyle(each.saturated > 0 ? {hue: 5, tint: 75} : {hue: 210, tint: 48}), "data-index": index, tabindex: index ? "-1" : "0", role: "button", "aria-label": this.lines(index).join(", "),
    })));
    children.push(axisTitle(left + width / 2, bottom + 34, "value, in the order of the second run; red where elements are clipped"));
    this.chart.setAttribute("viewBox", `0 0 ${total} ${bottom + 44}`);
    this.chart.setAttribute("height", bottom + 44);
    this.chart.replaceChildren(...children);
  }

  lines(index) {
    const {name, op, sqnr, cosine, largestError, saturated} = this.values[index];
    return [name, op, Number.isFinite(sqnr) ? `SQNR ${sqnr.toFixed(1)} dB` : "exact", `cosine ${cosine.toFixed(5)}`,
      `largest error ${scientific(largestError)}`, saturated ? `${(100 * saturated).toFixed(2)} % clipped` : ""].filter(Boolean);
  }
}
