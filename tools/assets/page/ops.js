"use strict";
// The tab of all ops of the stage, as a table that sorts and filters.

const opsTab = {
  table: null, graph: null,

  show() {
    if (this.graph === graph()) { this.filter(find("search").value); return; }
    this.graph = graph();
    const number = new Map(this.graph.ops.map((item, index) => [item, index]));
    const type = item => { const [value] = mainOutput(item); return value ? typeText(value) : ""; };
    const columns = [
      {title: "#", value: item => number.get(item), isNumber: true},
      {title: "op", value: item => item.node.op, render: item => html("span", {}, swatch(item), item.node.op)},
      {title: "output", value: item => item.label},
      {title: "type and shape", value: type},
      {title: "runs on", value: item => placeOf(item) || "–"},
    ];
    const has = test => this.graph.ops.some(test);
    if (has(macsOf)) columns.push({title: "MACs", value: item => macsOf(item) || null,
      text: item => macsOf(item) ? macsText(macsOf(item)) : "", isNumber: true});
    if (has(timeOf)) columns.push(
      {title: "time", value: item => timeOf(item)?.us ?? null, text: item => timeOf(item) ? microseconds(timeOf(item).us) : "", isNumber: true},
      {title: "share", value: item => timeOf(item)?.share ?? null, text: item => timeOf(item) ? percent(timeOf(item).share) : "", isNumber: true});
    if (has(errorOf)) columns.push({title: "error", value: item => errorOf(item)?.error ?? null,
      text: item => errorOf(item) ? errorOf(item).problem && errorOf(item).error === null ? errorOf(item).problem : scientific(errorOf(item).error) : "", isNumber: true});
    const quant = item => item.node.outputs.flatMap(([, values]) => values).find(value => value.quant)?.quant || null;
    if (has(quant)) columns.push({title: "quantised", value: quant});
    const reasons = item => placementOf(item).declined.map(([device, reason]) => `${device}: ${reason}`).join("; ") || null;
    if (has(reasons)) columns.push({title: "why not elsewhere", value: reasons});
    this.table = new DataTable("Ops", columns, this.graph.ops, item => select(item));
    find("ops-table").replaceChildren(this.table.element);
    this.filter(find("search").value);
    this.mark(state.selected);
  },

  filter(text) {
    if (!this.table) return;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const textOf = item => [item.node.op, item.label, placeOf(item), ...placementOf(item).declined.flat()].join(" ").toLowerCase();
    this.table.filter = item => words.every(word => textOf(item).includes(word));
    this.table.show();
    find("ops-count").textContent = `${this.table.body.children.length} of ${this.table.rows.length} ops of the stage “${DATA.stages[mainPane.stage].name}”`;
  },

  mark(item) {
    if (!this.table) return;
    this.table.body.querySelector(".selected")?.classList.remove("selected");
    const own = item?.isOp && this.graph.byKey.get(item.key), line = own && this.table.lines.get(own);
    if (!line) return;
    line.classList.add("selected");
    line.scrollIntoView({block: "nearest"});
  },
};
state.listeners.push(item => opsTab.mark(item));
