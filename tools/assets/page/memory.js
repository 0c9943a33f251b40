"use strict";
// The tab of the memory plan: buffers by address and time, the bytes in use, and the strategies compared.

const MEMORY_HEIGHT = 380;

class MemoryChart {
  constructor(root, data) {
    Object.assign(this, {root, data, arena: 0});
    data.arenas.forEach((arena, index) => { if (arena.size > data.arenas[this.arena].size) this.arena = index; });
    const options = data.arenas.map(({block, start, stop, size}, index) =>
      html("option", {value: index}, `${block}, instructions ${start} to ${stop - 1}: ${bytesText(size)}`));
    const choice = html("select", {id: "arena", onchange: event => { this.arena = Number(event.target.value); this.draw(); }}, ...options);
    choice.value = this.arena;
    this.chart = svgElement("svg", {class: "chart", role: "group", "aria-label": "Buffers by address and time"});
    this.note = html("p", {class: "note"});
    root.replaceChildren(
      html("div", {class: "bar-of-tools"}, html("label", {}, "Arena ", choice),
        html("span", {class: "note"}, "Each box is a buffer; the line shows the bytes in use.")),
      this.chart, this.note, html("div", {class: "columns"}, part("Bytes", table([
        ["weights", bytesText(data.weights)], ["of these copied", bytesText(data.copied)], ["of these packed", bytesText(data.packed)],
        ["all arenas", bytesText(sum(data.arenas, arena => arena.size))], ["scratch of kernels", bytesText(data.scratch)],
      ])), part("Strategies", new DataTable("Strategies", [
        {title: "strategy", value: row => row.strategy, text: row => row.strategy + (row.strategy === data.strategy ? " (chosen)" : "")},
        {title: "arenas", value: row => row.arena_bytes, text: row => bytesText(row.arena_bytes), isNumber: true},
        {title: "of the largest live set", value: row => row.ratio, text: row => row.ratio === null ? "" : `${row.ratio.toFixed(3)} ×`, isNumber: true},
      ], data.strategies, null).element)));
    interactive(this.chart, index => this.lines(index), index => {
      tooltip.hide();
      const {block, buffers} = this.data.arenas[this.arena];
      visitValue(block, buffers[index][0][0]);
    });
    this.draw();
  }

  draw() {
    const {start, stop, size, buffers, live: [most, atMost]} = this.data.arenas[this.arena];
    const total = this.root.clientWidth || 900, left = 84, top = 12, bottom = top + MEMORY_HEIGHT;
    const last = Math.max(stop, ...buffers.map(buffer => buffer[4] + 1)), width = total - left - 16;
    const x = time => left + (time - start) / (last - start) * width;
    const y = byte => bottom - byte / size * MEMORY_HEIGHT;
    const children = [
      ...axisY(ticks(0, size, 6, 2), y, bytesText, left, left + width),
      ...axisX(ticks(start, last, width / 70).filter(Number.isInteger), x, number => `${number}`, top, bottom),
    ];
    const inUse = new Float64Array(last - start + 1);
    buffers.forEach(([names, offset, bytes, first, end], index) => {
      for (let time = first; time <= end; time++) inUse[time - start] += bytes;
      if (!bytes) return;
      const box = {x: x(first), y: y(offset + bytes), width: Math.max(1, x(end + 1) - x(first)), height: Math.max(1, y(offset) - y(offset + bytes))};
      children.push(svgElement("rect", {
        class: "mark buffer", ...box, style: colourStyle({hue: HUES[index % HUES.length], tint: 45}), "data-index": index,
        tabindex: index ? "-1" : "0", role: "button", "aria-label": this.lines(index).join(", "),
      }));
      if (box.width > 40 && box.height > 13) children.push(svgElement("text",
        {class: "inside", x: box.x + 3, y: box.y + 12}, cut(names[0], box.width - 6)));
    });
    let path = `M${x(start)} ${bottom}`;
    for (let time = start; time < last; time++) path += `V${y(inUse[time - start])}H${x(time + 1)}`;
    children.push(svgElement("path", {class: "live", d: path}),
      axisTitle(left + width / 2, bottom + 34, "instruction"), axisTitle(left, top - 2, "address", "end"));
    this.chart.setAttribute("viewBox", `0 0 ${total} ${bottom + 44}`);
    this.chart.setAttribute("height", bottom + 44);
    this.chart.replaceChildren(...children);
    this.note.textContent = `${buffers.length} buffers in ${grouped(size)} bytes; the most in use at one time are ${
      grouped(most)} bytes, at instruction ${atMost}: the arena has ${(size / Math.max(most, 1)).toFixed(3)} times that.`;
  }

  lines(index) {
    const [names, offset, bytes, first, last] = this.data.arenas[this.arena].buffers[index];
    return [names.join(", "), `${bytesText(bytes)} (${grouped(bytes)} bytes) at ${grouped(offset)}`, `instructions ${first} to ${last}`];
  }
}
