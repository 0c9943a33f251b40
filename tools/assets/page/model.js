"use strict";
// The graphs of the page's data as linked items: arguments, ops, repeats and results, with their sources and targets.

const DATA = JSON.parse(document.getElementById("data").textContent);
const MAX_OPEN = 400;  // ops: nested graphs of a stage with more of them start closed

const CATEGORIES = [
  ["layer", "convolution, matrix product", 212,
    /conv|^mul$|matmul|^fc$|linear|gemm|lstm|gru|rnn|attention|einsum|excite/],
  ["norm", "normalisation", 262, /norm/],
  ["pool", "pooling, reduction", 172, /pool|reduce|^mean$|^sum$|argmax|arg_max|arg_min|top_k/],
  ["control", "control flow, region", 322,
    /^while$|^conditional_block|^subgraph$|select_(in|out)put|^if$|^loop$|recurrent/],
  ["activation", "activation", 12, /relu|sigmoid|tanh|swish|elu|mish|softmax|softplus|fusion_group/],
  ["shape", "shape, data movement", 88,
    /shape|transpose|^(un)?squeeze2?$|flatten|concat|split|slice|gather|cast|expand|pad|stack|tile|copy|layout|interp/],
];
const OTHER = ["other", "arithmetic and others", 220];

const categories = new Map();
function categoryOf(op) {
  if (!categories.has(op)) categories.set(op, CATEGORIES.find(([, , , pattern]) => pattern.test(op)) || OTHER);
  return categories.get(op);
}

// kind: "argument", "op", "repeat" (of a block of ops) or "result".
class Item {
  constructor(kind, label, graph, value) {
    Object.assign(this, {kind, label, graph, value, node: null, blocks: [], isOpen: false});
    Object.assign(this, {sources: new Set(), targets: new Set(), weights: [], index: graph.items.length});
    graph.items.push(this);
  }

  get owner() { return this.graph.owner; }
  get isOp() { return this.kind === "op"; }
  get key() { return keyOf(this.graph.block, this.label); }
  // What the item runs or stands for, in a word.
  get type() { return this.isOp ? this.node.op : this.kind; }
}

function keyOf(block, name) { return `${block}\n${name}`; }

const poolText = index => index < 0 ? "" : DATA.strings[index];
const poolPairs = pairs => pairs.map(pair => pair.map(poolText));

// A graph with `items` in an order in which edges lead forwards, and `edges` {source, target, isEffect}.
// `data` is a graph of the page's data, or one that `foldRepeats` made; `block` is the name of the model's block.
function linkGraph(data, owner, block) {
  const graph = {name: data.name, block, owner, items: [], edges: []}, values = new Map();
  const valueOf = index => {
    if (!values.has(index)) {
      const [name, type, quant, constant] = DATA.values[index];
      values.set(index, {
        name, type: poolText(type), quant: poolText(quant), isConstant: constant >= 0, data: poolText(constant),
        seen: SEEN.get(keyOf(block, name)), producer: null, readers: [],
      });
    }
    return values.get(index);
  };
  for (const index of data.args) {
    const value = valueOf(index);
    value.producer = new Item("argument", value.name, graph, value);
  }
  const slots = pairs => pairs.map(([slot, indices]) => [slot, indices.map(valueOf)]);
  let lastEffect = null;
  for (const part of data.nodes) {
    const isRepeat = typeof part !== "number", entry = isRepeat ? part : DATA.nodes[part];
    const item = new Item(isRepeat ? "repeat" : "op", entry.name, graph, null);
    item.pool = isRepeat ? -1 : part;
    item.node = {...entry, inputs: slots(entry.inputs), outputs: slots(entry.outputs)};
    item.node.attrs = poolPairs(entry.attrs);
    item.node.defaults = poolPairs(entry.defaults);
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
    const inner = isRepeat ? [entry.inside] : (entry.blocks || []).map(index => DATA.graphs[index]);
    item.blocks = inner.map(each => linkGraph(foldedData(each, data.isFolded), item, isRepeat ? block : each.name));
  }
  for (const [name, index] of data.results) read(valueOf(index), new Item("result", name, graph, valueOf(index)));
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

// The graph of a stage, with or without repeated blocks folded, linked when it is first shown.
const linkedStages = new Map();
function stageGraph(stage, isFolded) {
  const key = `${stage} ${isFolded}`;
  if (!linkedStages.has(key)) {
    const data = DATA.graphs[DATA.stages[stage].graph];
    const graph = linkGraph(foldedData(data, isFolded), null, data.name);
    graph.ops = [...allItems(graph)].filter(item => item.isOp);
    graph.byKey = new Map(graph.ops.map(item => [item.key, item]));
    for (const item of allItems(graph))
      item.isOpen = item.blocks.length > 0 && item.isOp && graph.ops.length <= MAX_OPEN;
    linkedStages.set(key, graph);
  }
  return linkedStages.get(key);
}

// The device of the innermost region around an item, or of the item itself; "" outside of regions.
function deviceOf(item) {
  for (let each = item; each; each = each.owner) if (each.isOp && each.node.device) return each.node.device;
  return "";
}

const SEEN = new Map((DATA.seen?.shapes || []).map(([block, name, shape]) => [keyOf(block, name), shape]));
const MACS = new Map((DATA.seen?.macs || []).map(([block, name, op, count]) => [keyOf(block, `${name} ${op}`), count]));
const KERNELS = new Map(DATA.kernels);  // op type → places of its kernels
const PLACEMENT = new Map((DATA.placement?.ops || []).map(([block, name, , place, macs, declined]) =>
  [keyOf(block, name), {place, macs, declined}]));
const TIMES = new Map((DATA.timeline?.ops || []).map(
  ([block, name, op, place, calls, us, min, max, share, bytes, shapes]) =>
    [keyOf(block, name), {op, place, calls, us, min, max, share, bytes, shapes}]));
const ERRORS = new Map((DATA.differences?.values || []).map(([block, name, opA, opB, error, problem]) =>
  [keyOf(block, name), {opA, opB, error: error === null ? null : Number(error.replace?.("inf", "Infinity") ?? error),
    problem}]));

// Where the report places an op, and which devices declined it.  The report has ops by the graph around their region.
function placementOf(item) {
  let {graph} = item;
  while (graph.owner && (graph.owner.kind === "repeat" || graph.owner.node.device)) ({graph} = graph.owner);
  const placement = item.node.device ? null : PLACEMENT.get(keyOf(graph.block, item.label));
  return placement || {place: "", macs: null, declined: []};
}

// Microseconds, share and more of an op or of all ops in a repeat; null where none was measured.
function timeOf(item) {
  if (item.isOp) {
    const time = TIMES.get(item.key);
    return time?.op === item.node.op ? time : null;  // a fused op may have the name of one of its parts
  }
  if (item.kind !== "repeat") return null;
  const times = item.blocks.flatMap(block => block.items.map(timeOf)).filter(Boolean);
  if (!times.length) return null;
  return {us: sum(times, time => time.us), share: sum(times, time => time.share), calls: 0};
}

// The error of the first output that both runs have; of a repeat, the largest error of its ops.
function errorOf(item) {
  if (item.kind === "repeat") {
    const errors = item.blocks.flatMap(block => block.items.map(errorOf)).filter(Boolean);
    return errors.reduce((worst, each) => !worst || (each.error ?? Infinity) > (worst.error ?? Infinity) ? each : worst,
      null);
  }
  if (!item.isOp) return null;
  for (const [, values] of item.node.outputs)
    for (const value of values) if (ERRORS.has(keyOf(item.graph.block, value.name)))
      return ERRORS.get(keyOf(item.graph.block, value.name));
  return null;
}

// Where an op runs: its region's device, the place of its kernel, or what the report says.
function placeOf(item) {
  return deviceOf(item) || item.node?.place || (item.isOp ? placementOf(item).place : "") || "";
}

function macsOf(item) {
  if (item.kind === "repeat" || item.blocks.length)
    return sum(item.blocks.flatMap(block => block.items), macsOf);
  return item.isOp ? item.node.macs ?? MACS.get(keyOf(item.graph.block, `${item.label} ${item.node.op}`)) ?? placementOf(item).macs ?? 0 : 0;
}

function countOps(graphs) {
  return sum(graphs, graph => sum(graph.items, item => item.isOp + countOps(item.blocks)));
}

function sum(items, number) { return items.reduce((total, each) => total + number(each), 0); }

// The dtype and shape of a value; open sizes are those of the run, if it has the same value.
function typeText(value) {
  const [, before, dims, after] = value.type.match(/^([^[]*)\[(.*?)\](.*)$/) || [];
  if (dims === undefined || !dims) return value.type;
  const sizes = dims.split(","), {seen} = value;
  const fits = each => each.length === sizes.length && sizes.every((size, axis) => !(size > 0) || Number(size) === each[axis]);
  // The run's shapes are those of the model's layout; the channels of a value may be last.
  const found = seen && [seen, [seen[0], ...seen.slice(2), seen[1]]].find(fits);
  return `${before}[${(found || sizes).join(", ")}]${after}`;
}

// "[1, 16, 80, 80]", with the dtype in front unless it is float32.
function shapeText(value) {
  const text = typeText(value), [type] = text.match(/^.*?\[.*?\]/) || [text];
  return type.replace(/^float32/, "");
}

// The output that other ops read first, or the first one.
function mainOutput(item) {
  const outputs = item.node.outputs.flatMap(([, values]) => values);
  return [outputs.find(value => value.readers.length) || outputs[0], outputs.length];
}
