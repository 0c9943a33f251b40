"use strict";
// Computes layouts in a worker, and draws a stage of the graph in a pane.

const layouts = layoutWorker();

// A function from a drawing to a promise of its layout.
function layoutWorker() {
  const scripts = ["dagre", "layout"].map(name => document.getElementById(`script-${name}`).textContent).join(";\n");
  const answer = "onmessage = ({data: [id, drawing]}) => postMessage([id, layoutDrawing(drawing)]);";
  const waiting = new Map();
  let worker = null, count = 0;
  try {
    worker = new Worker(URL.createObjectURL(new Blob([scripts, ";\n", answer], {type: "text/javascript"})));
    worker.onmessage = ({data: [id, layout]}) => { waiting.get(id).resolve(layout); waiting.delete(id); };
    worker.onerror = () => {
      worker = null;
      for (const {drawing, resolve} of waiting.values()) resolve(layoutDrawing(drawing));
      waiting.clear();
    };
  } catch { worker = null; }
  return drawing => new Promise(resolve => {
    if (!worker) { setTimeout(() => resolve(layoutDrawing(drawing))); return; }
    waiting.set(++count, {drawing, resolve});
    worker.postMessage([count, drawing]);
  });
}

class Pane {
  constructor(element, onSelect, onToggle) {
    Object.assign(this, {element, stage: -1, graph: null, layoutId: 0, isFitted: false});
    const [canvas, minimap] = element.querySelectorAll("svg.canvas, canvas.minimap");
    this.view = new View(canvas, minimap, onSelect, onToggle);
    this.title = element.querySelector(".pane-title");
    this.busy = element.querySelector(".wait");
  }

  // Draw a stage; `anchor` is an item of it that stays where it is on the screen.
  async draw(stage, isFolded, anchor = null) {
    const id = ++this.layoutId, before = anchor && this.view.boxOf(anchor);
    Object.assign(this, {stage, isFolded, graph: stageGraph(stage, isFolded)});
    this.title.textContent = DATA.stages[stage].name;
    this.busy.hidden = false;
    const layout = await layouts(drawingOf(this.graph));
    if (id !== this.layoutId) return false;
    this.view.show(this.graph, layout);
    const after = before && this.view.boxOf(anchor);
    if (after) this.view.pan((before.x - after.x) * this.view.scale, (before.y - after.y) * this.view.scale);
    else this.fit(false);
    this.busy.hidden = true;
    return true;
  }

  // The drawing, or its beginning in a legible size; later if the pane is hidden.
  fit(whole) {
    this.isFitted = this.view.canvas.clientWidth > 0 && this.view.layout !== null;
    if (this.isFitted) this.view.fit(whole);
  }

  // After the pane has appeared.
  shown() {
    if (!this.isFitted) this.fit(false);
    else this.view.pan(0, 0);
  }

  // The item of this pane that stands for an item of another pane or stage; null if there is none.
  find(item) {
    if (!item || item.graph === undefined || !this.graph) return null;
    if (item.isOp) return this.graph.byKey.get(item.key) || null;
    const isSame = each => each.kind === item.kind && each.key === item.key;
    return [...allItems(this.graph)].find(isSame) || null;
  }

  // The item, or the closed one around it.
  visible(item) {
    let shown = item;
    for (let owner = item?.owner; owner; owner = owner.owner) if (!owner.isOpen) shown = owner;
    return shown;
  }

  // Whether an item's pane is this one.
  has(item) {
    let {graph} = item;
    while (graph.owner) ({graph} = graph.owner);
    return graph === this.graph;
  }

  // Mark what another stage lacks, has in addition, or has in another form; returns the marked items.
  markChanges(other, isAfter) {
    const names = ({graph, node}) => node.outputs.flatMap(([, values]) => values.map(({name}) => keyOf(graph.block, name)));
    const pools = new Set(other.ops.map(item => item.pool)), written = new Set(other.ops.flatMap(names)), marked = [];
    for (const item of this.graph.ops) {
      if (pools.has(item.pool)) continue;
      const kind = names(item).some(name => written.has(name)) ? "changed" : isAfter ? "added" : "removed";
      marked.push([item, kind]);
      const shown = this.view.elements.get(this.visible(item));
      shown?.classList.add(kind);
    }
    return marked;
  }
}
