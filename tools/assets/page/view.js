"use strict";
// The drawing on the screen: pan, zoom, selection, and the minimap beside it.

const SLAB = 1200;        // pixels of the drawing that appear and disappear together
const FAR = 0.4;          // the scale below which text is hidden
const SCALES = [0.002, 3];

class View {
  constructor(canvas, minimap, onSelect, onToggle) {
    Object.assign(this, {canvas, x: 0, y: 0, scale: 1, layout: null, frame: 0, onMove: () => {}});
    this.minimap = new Minimap(minimap, (x, y) => this._jump(x, y));
    this.root = canvas.querySelector(".root");
    this.elements = new Map();  // item → its group; edge → its path
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 20 : 1;
      const [dx, dy] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(-dy * unit / 300), event.offsetX, event.offsetY);
      else this.pan(-dx * unit, -dy * unit);
    }, {passive: false});
    this._drag(onSelect);
    canvas.addEventListener("dblclick", event => {
      const item = this._itemAt(event.target);
      if (item && item.blocks.length) onToggle(item);
    });
    canvas.addEventListener("touchstart", event => this._pinch(event), {passive: true});
    canvas.addEventListener("touchmove", event => this._pinch(event), {passive: true});
    new ResizeObserver(() => this._schedule()).observe(canvas);
  }

  show(graph, layout) {
    this.layout = layout;
    this.elements.clear();
    this.items = new Map();
    const tall = svgElement("g", {}), count = Math.ceil(layout.height / SLAB) + 1;
    const slabs = Array.from({length: count}, () => svgElement("g", {}));
    const add = (item, element, top, height) => {
      (height > SLAB ? tall : slabs[Math.floor(top / SLAB)]).append(element);
      this.elements.set(item, element);
    };
    const small = [];
    const addGraph = (graph, layout, left, top) => {
      graph.edges.forEach((edge, index) => {
        const points = layout.edges[index].map(([x, y]) => [x + left, y + top]), [, y] = points[0];
        add(edge, edgeElement(edge, points), y, points.at(-1)[1] - y);
      });
      graph.items.forEach((item, index) => {
        const box = layout.boxes[index], [x, y] = [box.x + left, box.y + top];
        const element = boxElement(item, {...box, x, y});
        add(item, element, y, box.height);
        this.items.set(element, item);
        small.push([x, y, box.width, box.height, smallColour(item)]);
        for (const [number, block] of (box.blocks || []).entries())
          addGraph(item.blocks[number], block, x + block.x, y + block.y);
      });
    };
    addGraph(graph, layout, 0, 0);
    this.slabs = slabs;
    this.root.replaceChildren(tall, ...slabs);
    this.minimap.show(layout, small);
    this._schedule();
  }

  // The box of an item in the drawing, also of one inside other items.
  boxOf(item) {
    if (!item.owner) return this.layout.boxes[item.index];
    const outer = this.boxOf(item.owner);
    const block = outer && outer.blocks && outer.blocks[item.owner.blocks.indexOf(item.graph)];
    if (!block) return null;
    const box = block.boxes[item.index];
    return {...box, x: outer.x + block.x + box.x, y: outer.y + block.y + box.y};
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this._schedule();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(SCALES[1], Math.max(SCALES[0], this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this._schedule();
  }

  // The whole drawing, or its beginning in a legible size.
  fit(whole) {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    const across = (width - 60) / this.layout.width, down = (height - 40) / this.layout.height;
    this.scale = Math.max(SCALES[0], Math.min(1, across, down));
    if (!whole) this.scale = Math.max(this.scale, Math.min(1, Math.max(across, 0.85)));
    this.x = (width - this.layout.width * this.scale) / 2;
    this.y = Math.max(20, (height - this.layout.height * this.scale) / 2);
    const [first] = this.layout.boxes;
    if (!whole && first && this.layout.width * this.scale > width)
      this.x = width / 2 - (first.x + first.width / 2) * this.scale;
    this._schedule();
  }

  // Move an item to the middle, or only into sight.
  reveal(item, isCentred) {
    const box = this.boxOf(item), {clientWidth: width, clientHeight: height} = this.canvas;
    if (!box) return;
    if (isCentred && this.scale < 0.6) this.scale = 0.9;
    const inSight = (start, size, space) => start > 20 && start + Math.min(size, space / 2) < space - 20;
    const [left, top] = [this.x + box.x * this.scale, this.y + box.y * this.scale];
    if (isCentred || !inSight(left, box.width * this.scale, width))
      this.x = width / 2 - (box.x + box.width / 2) * this.scale;
    if (isCentred || !inSight(top, box.height * this.scale, height))
      this.y = height / 2 - (box.y + Math.min(box.height / 2, height / 3)) * this.scale;
    this._schedule();
  }

  select(item, matches) {
    for (const each of this.root.querySelectorAll(".selected, .near, .match"))
      each.classList.remove("selected", "near", "match");
    for (const match of matches) this.elements.get(match)?.classList.add("match");
    this.elements.get(item)?.classList.add("selected");
    for (const edge of item ? item.graph.edges : [])
      if (edge.source === item || edge.target === item) this.elements.get(edge)?.classList.add("near");
    this._marks(item, matches);
  }

  _marks(item, matches) {
    const marks = [...matches].slice(0, 500).map(each => [this.boxOf(each)?.y, "match"]);
    if (item) marks.push([this.boxOf(item)?.y, "selected"]);
    this.minimap.marks = marks.filter(([top]) => top !== undefined);
    this._schedule();
  }

  _itemAt(target) {
    return this.items?.get(target.closest?.(".item"));
  }

  _drag(onSelect) {
    let start = null;
    this.canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      start = {x: event.clientX, y: event.clientY, moved: 0, item: this._itemAt(event.target)};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", event => {
      if (!start) return;
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      Object.assign(start, {x: event.clientX, y: event.clientY, moved: start.moved + Math.abs(dx) + Math.abs(dy)});
      if (start.moved > 4) this.pan(dx, dy);
    });
    this.canvas.addEventListener("pointerup", () => {
      if (start && start.moved <= 4) onSelect(start.item || null);
      start = null;
    });
    this.canvas.addEventListener("pointercancel", () => { start = null; });
  }

  // Two fingers zoom.
  _pinch(event) {
    if (event.touches.length !== 2) { this.spread = 0; return; }
    const [a, b] = event.touches, {left, top} = this.canvas.getBoundingClientRect();
    const spread = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    if (this.spread) this.zoom(spread / this.spread, (a.clientX + b.clientX) / 2 - left, (a.clientY + b.clientY) / 2 - top);
    this.spread = spread;
  }

  _jump(x, y) {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    this.y = height / 2 - y * this.scale;
    if (this.layout.width * this.scale > width) this.x = width / 2 - x * this.scale;
    this._schedule();
  }

  _schedule() {
    this.frame ||= requestAnimationFrame(() => this._paint());
  }

  _paint() {
    this.frame = 0;
    if (!this.layout) return;
    const {clientWidth: width, clientHeight: height} = this.canvas, margin = 80;
    this.x = Math.min(width - margin, Math.max(margin - this.layout.width * this.scale, this.x));
    this.y = Math.min(height - margin, Math.max(margin - this.layout.height * this.scale, this.y));
    this.root.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.canvas.classList.toggle("far", this.scale < FAR);
    const first = Math.floor(-this.y / this.scale / SLAB) - 1, last = Math.floor((height - this.y) / this.scale / SLAB);
    this.slabs.forEach((slab, index) => { slab.style.display = index < first || index > last ? "none" : ""; });
    this.minimap.paint(-this.x / this.scale, -this.y / this.scale, width / this.scale, height / this.scale);
    this.onMove();
  }
}

// The colour of an item in the minimap; an open one is only tinted.
function smallColour(item) {
  const {hue, tint} = colourOf(item);
  return item.isOpen ? `hsl(${hue} ${tint}% 50% / 0.25)` : `hsl(${hue} ${tint}% 50%)`;
}
