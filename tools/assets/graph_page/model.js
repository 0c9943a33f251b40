"use strict";
// The graphs of the page's data as linked items: arguments, ops and results, with their sources and targets.

const DATA = JSON.parse(document.getElementById("data").textContent);
const MAX_OPEN = 400;  // ops: nested graphs of a stage with more of them start closed

const CATEGORIES = [
  ["layer", "convolution, matrix product", /conv|^mul$|matmul|^fc$|linear|gemm|lstm|gru|rnn|attention|einsum|excite/],
  ["norm", "normalisation", /norm/],
  ["pool", "pooling, reduction", /pool|reduce|^mean$|^sum$|argmax|arg_max|arg_min|top_k/],
  ["control", "control flow, region",
    /^while$|^conditional_block|^subgraph$|select_(in|out)put|^if$|^loop$|recurrent/],
  ["activation", "activation", /relu|sigmoid|tanh|swish|elu|mish|softmax|softplus|fusion_group/],
  ["shape", "shape, data movement",
    /shape|transpose|^(un)?squeeze2?$|flatten|concat|split|slice|gather|cast|expand|pad|stack|tile|copy|layout|interp/],
];

function categoryOf(op) {
  const found = CATEGORIES.find(([, , pattern]) => pattern.test(op));
  return found ? found[0] : "other";
}

class Item {
  constructor(kind, label, graph, value) {
    Object.assign(this, {kind, label, graph, value, node: null, blocks: [], isOpen: false});
    Object.assign(this, {sources: new Set(), targets: new Set(), weights: [], index: graph.items.length});
    graph.items.push(this);
  }

  get owner() { return this.graph.owner; }
}

// A graph with `items` in an order in which edges lead forwards, and `edges` {source, target, isEffect}.
function linkGraph(data, owner) {
  const graph = {name: data.name, owner, items: [], edges: []};
  const values = data.values.map(value => ({
    name: value.name, type: DATA.strings[value.type], isConstant: "data" in value,
    data: "data" in value ? DATA.strings[value.data] : "", producer: null, readers: [],
  }));
  for (const index of data.args)
    values[index].producer = new Item("argument", values[index].name, graph, values[index]);
  const slots = pairs => pairs.map(([slot, indices]) => [slot, indices.map(index => values[index])]);
  let lastEffect = null;
  for (const entry of data.nodes) {
    const item = new Item("op", entry.name, graph, null);
    item.node = {...entry, inputs: slots(entry.inputs), outputs: slots(entry.outputs)};
    item.node.attrs = entry.attrs.map(pair => pair.map(index => DATA.strings[index]));
    item.node.defaults = entry.defaults.map(pair => pair.map(index => DATA.strings[index]));
    const [, activation] = item.node.attrs.find(([name]) => name === "activation") || [];
    item.node.activation = activation && activation.replaceAll("'", "");
    for (const [slot, inputs] of item.node.inputs)
      for (const value of inputs) {
        if (value.isConstant) item.weights.push([slot, value]);
        read(value, item);
      }
    for (const [, outputs] of item.node.outputs) for (const value of outputs) value.producer = item;
    if (entry.effect) {
      if (lastEffect && !lastEffect.targets.has(item)) link(lastEffect, item, true);
      lastEffect = item;
    }
    item.blocks = (entry.blocks || []).map(block => linkGraph(block, item));
  }
  for (const [name, index] of data.results) read(values[index], new Item("result", name, graph, values[index]));
  return graph;
}

function read(value, item) {
  value.readers.push(item);
  if (value.producer && !item.sources.has(value.producer)) link(value.producer, item, false);
}

function link(source, target, isEffect) {
  source.targets.add(target);
  target.sources.add(source);
  source.graph.edges.push({source, target, isEffect});
}

function* allItems(graph) {
  for (const item of graph.items) {
    yield item;
    for (const block of item.blocks) yield* allItems(block);
  }
}

// The graph of a stage, linked when it is first shown.
const linkedStages = new Map();
function stageGraph(stage) {
  if (!linkedStages.has(stage)) {
    const graph = linkGraph(DATA.stages[stage].graph, null);
    const items = [...allItems(graph)];
    graph.ops = items.filter(item => item.kind === "op");
    for (const item of items) item.isOpen = item.blocks.length > 0 && graph.ops.length <= MAX_OPEN;
    linkedStages.set(stage, graph);
  }
  return linkedStages.get(stage);
}

// The device of the innermost region around an item, or of the item itself; "" outside of regions.
function deviceOf(item) {
  for (let each = item; each; each = each.owner) if (each.node && each.node.device) return each.node.device;
  return "";
}

const OPS = DATA.stages.flatMap((_, stage) => stageGraph(stage).ops);
const DEVICES = [...new Set(OPS.map(deviceOf))].filter(Boolean).sort();

const KERNELS = new Map(DATA.kernels);  // op type → places of its kernels
const placementKey = (block, op) => JSON.stringify([block, op]);
const PLACEMENT = new Map(DATA.placement.map(({block, op, ...rest}) => [placementKey(block, op), rest]));

// Where the report places an op, and which devices declined it.  The report has ops by the graph around their region.
function placementOf(item) {
  let {graph} = item;
  while (graph.owner && graph.owner.node.device) ({graph} = graph.owner);
  const placement = item.node.device ? null : PLACEMENT.get(placementKey(graph.name, item.label));
  return placement || {place: "", declined: []};
}

function countOps(graphs) {
  let count = 0;
  for (const graph of graphs) for (const item of allItems(graph)) count += item.kind === "op";
  return count;
}

// "[1, 16, 80, 80]", with the dtype in front unless it is float32.
function shapeText(value) {
  const [type] = value.type.match(/^[^\s]*\[.*?\]/) || [value.type];
  return type.replace(/^float32/, "").replaceAll(",", ", ");
}
