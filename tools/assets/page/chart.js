"use strict";
// What charts and tables have in common: round ticks, axes, tooltips, sorting.

// At most about `count` round numbers from `low` to `high`; `base` 2 gives multiples of powers of two.
function ticks(low, high, count, base = 10) {
  const raw = Math.max((high - low) / count, 1e-12);
  const power = base ** Math.floor(Math.log(raw) / Math.log(base));
  const step = base === 2 ? power * (raw > power ? 2 : 1) : [1, 2, 5, 10].find(each => each * power >= raw) * power;
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: Math.max(0, last - first + 1)}, (_, index) => (first + index) * step);
}

// Lines and texts of an axis: `at` gives the pixel of a number, `text` its label.
function axisX(numbers, at, text, top, bottom) {
  return numbers.flatMap(number => [
    svgElement("line", {class: "grid", x1: at(number), x2: at(number), y1: top, y2: bottom}),
    svgElement("text", {class: "tick", x: at(number), y: bottom + 16, "text-anchor": "middle"}, text(number)),
  ]);
}

function axisY(numbers, at, text, left, right) {
  return numbers.flatMap(number => [
    svgElement("line", {class: "grid", x1: left, x2: right, y1: at(number), y2: at(number)}),
    svgElement("text", {class: "tick", x: left - 6, y: at(number) + 4, "text-anchor": "end"}, text(number)),
  ]);
}

function axisTitle(x, y, text, anchor = "middle") {
  return svgElement("text", {class: "axis", x, y, "text-anchor": anchor}, text);
}

// Lines of text beside the pointer, or beside a focused element.
const tooltip = {
  show(event, lines) {
    const box = find("tooltip"), target = event.target.getBoundingClientRect();
    box.replaceChildren(...lines.map((line, index) => html(index ? "div" : "b", {}, line)));
    box.hidden = false;
    const [x, y] = event.clientX === undefined ? [target.right, target.bottom] : [event.clientX, event.clientY];
    const {width, height} = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18}px`;
  },
  hide() { find("tooltip").hidden = true; },
};

// Give an SVG chart one tooltip and one click handler; `about` finds the mark's facts by its data-index.
function interactive(chart, lines, onClick) {
  const indexOf = event => event.target.dataset?.index;
  const show = event => {
    const index = indexOf(event);
    if (index === undefined) tooltip.hide(); else tooltip.show(event, lines(Number(index)));
  };
  for (const kind of ["pointermove", "focusin"]) chart.addEventListener(kind, show);
  for (const kind of ["pointerleave", "focusout"]) chart.addEventListener(kind, tooltip.hide);
  chart.addEventListener("click", event => { if (indexOf(event) !== undefined) onClick(Number(indexOf(event))); });
  chart.addEventListener("keydown", event => {
    const marks = [...chart.querySelectorAll("[data-index]")], at = marks.indexOf(event.target);
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (by && at >= 0) {
      event.preventDefault();
      event.stopPropagation();
      focusMark(marks, marks[Math.min(marks.length - 1, Math.max(0, at + by))]);
    } else if (event.key === "Enter" && at >= 0) onClick(Number(event.target.dataset.index));
  });
}

// One mark of a chart takes part in the order of Tab; arrow keys lead to the others.
function focusMark(marks, mark) {
  for (const each of marks) each.setAttribute("tabindex", each === mark ? "0" : "-1");
  mark.focus({preventScroll: false});
}

// A table whose columns {title, value, text, isNumber, wide} sort by a click; `onRow` is called with a row's datum.
class DataTable {
  constructor(label, columns, rows, onRow) {
    Object.assign(this, {columns, rows, onRow, order: null, filter: () => true, lines: new Map()});
    this.head = html("tr", {}, ...columns.map((column, index) => html("th", {
      scope: "col", class: column.isNumber ? "number" : "", "aria-sort": "none",
    }, html("button", {class: "sort", onclick: () => this.sort(index)}, column.title))));
    this.body = html("tbody", {});
    this.element = html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label},
      html("table", {class: "data"}, html("caption", {class: "hidden"}, label), html("thead", {}, this.head), this.body));
    this.body.addEventListener("click", event => {
      const line = event.target.closest("tr");
      if (line && onRow) onRow(line.datum);
    });
    this.show();
  }

  show() {
    const shown = this.rows.filter(this.filter);
    if (this.order) {
      const {value} = this.columns[this.order.index], {sign} = this.order;
      const rank = row => value(row) ?? (sign > 0 ? Infinity : -Infinity);
      shown.sort((a, b) => sign * (typeof rank(a) === "string" || typeof rank(b) === "string"
        ? String(rank(a)).localeCompare(String(rank(b)), "en", {numeric: true}) : rank(a) - rank(b)));
    }
    this.body.replaceChildren(...shown.map(row => this._line(row)));
  }

  sort(index) {
    const first = this.columns[index].isNumber ? -1 : 1;
    const sign = this.order?.index === index ? -this.order.sign : first;
    this.order = {index, sign};
    [...this.head.children].forEach((cell, each) =>
      cell.setAttribute("aria-sort", each !== index ? "none" : sign > 0 ? "ascending" : "descending"));
    this.show();
  }

  _line(row) {
    if (!this.lines.has(row)) {
      const line = html("tr", {}, ...this.columns.map(({value, text, isNumber, render}) =>
        html("td", isNumber ? {class: "number"} : {}, render ? render(row) : (text || value)(row) ?? "")));
      line.datum = row;
      this.lines.set(row, line);
    }
    return this.lines.get(row);
  }
}
