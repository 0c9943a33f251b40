"use strict";
// Positions of boxes and paths of edges, by dagre.  Runs in a Web Worker, or in the page if workers are blocked.
//
// A drawing is {nodes: [{width, height, blocks?}], edges: [[source, target]]}; an edge leads from a lower to a
// higher index.  A node with `blocks` shows a drawing for each of them below its own `height`.

const SPACING = {nodesep: 28, edgesep: 14, ranksep: 44};
const FRAME = 16;      // pixels between a nested drawing and the frame around it
const MIN_PART = 80;   // nodes that dagre lays out at a time
const MAX_PART = 250;

// Size, boxes {x, y, width, height, blocks?} by node (x, y: upper left corner) and points [x, y] by edge.
function layoutDrawing(drawing) {
  const boxes = drawing.nodes.map(layoutBox), edges = [], chains = chainsOf(drawing);
  const owner = [];
  chains.forEach((chain, index) => { for (const node of chain) owner[node] = index; });
  const outer = drawing.edges.map((edge, index) => [...edge, index]).filter(([source, target]) => owner[source] !== owner[target]);
  const columns = chains.map(chain => ({
    width: Math.max(...chain.map(node => boxes[node].width)),
    height: chain.reduce((sum, node) => sum + boxes[node].height + SPACING.ranksep, -SPACING.ranksep),
  }));
  const layout = layoutColumns({nodes: columns, edges: outer.map(([source, target]) => [owner[source], owner[target]])}, columns);
  chains.forEach((chain, index) => {
    let {y} = columns[index];
    for (const node of chain) {
      Object.assign(boxes[node], {x: middle(columns[index]) - boxes[node].width / 2, y});
      y += boxes[node].height + SPACING.ranksep;
    }
  });
  outer.forEach(([, , edge], index) => { edges[edge] = layout.edges[index]; });
  drawing.edges.forEach(([source, target], edge) => {
    edges[edge] ||= [[middle(boxes[source]), boxes[source].y + boxes[source].height], [middle(boxes[target]), boxes[target].y]];
  });
  return {...layout, boxes, edges};
}

// Nodes that follow each other with no other source or target between them: each chain is one column.
function chainsOf({nodes, edges}) {
  const targets = nodes.map(() => []), count = nodes.map(() => 0), isInside = new Uint8Array(nodes.length), chains = [];
  for (const [source, target] of edges) { targets[source].push(target); count[target]++; }
  nodes.forEach((_, node) => {
    if (isInside[node]) return;
    const chain = [node];
    for (let last = node; targets[last].length === 1 && count[targets[last][0]] === 1;) {
      [last] = targets[last];
      isInside[last] = 1;
      chain.push(last);
    }
    chains.push(chain);
  });
  return chains;
}

// Like layoutDrawing, for boxes of known sizes; gives the boxes their places.
function layoutColumns(drawing, boxes) {
  const edges = [];
  let trunks = new Map();  // source → points of its edges down to the current part
  let [left, right, top] = [0, 0, 0];
  for (const part of partsOf(drawing, lateOrder(drawing))) {
    const {graph, ceiling, floor} = layoutPart(part, boxes);
    const gaps = part.entries.map(source => trunks.get(source).at(-1)[0] - graph.node(`in ${source}`).x);
    const shift = gaps.reduce((sum, gap) => sum + gap, 0) / (gaps.length || 1);
    const moved = ({x, y}) => [x + shift, y + top - ceiling];
    const path = (source, name, id) => {
      const isEntry = part.entries.includes(source);
      const points = graph.edge(isEntry ? `in ${source}` : `${source}`, name, id).points.map(moved);
      return isEntry ? [...trunks.get(source), ...points.slice(1)] : points;
    };
    for (const node of part.nodes) {
      const [x, y] = moved(graph.node(`${node}`));
      Object.assign(boxes[node], {x: x - boxes[node].width / 2, y: y - boxes[node].height / 2});
      left = Math.min(left, boxes[node].x);
      right = Math.max(right, boxes[node].x + boxes[node].width);
    }
    for (const [source, target, edge] of part.edges) edges[edge] = path(source, `${target}`, `${edge}`);
    trunks = new Map(part.exits.map(source => [source, path(source, `out ${source}`, "trunk").slice(0, -1)]));
    for (const points of [...part.edges.map(edge => edges[edge[2]]), ...trunks.values()])
      for (const [x] of points) [left, right] = [Math.min(left, x), Math.max(right, x)];
    top += floor - ceiling + (part.exits.length > 1 ? SPACING.ranksep : 0);
  }
  for (const box of boxes) box.x -= left;
  drawing.edges.forEach(([source, target], edge) => {
    const points = edges[edge].map(([x, y]) => [x - left, y]);
    // The parts of an edge repeat the point where they meet.
    const apart = ([x, y], [x0, y0]) => Math.hypot(x - x0, y - y0) > 1;
    edges[edge] = points.filter((point, index) => !index || apart(point, points[index - 1]));
    // dagre puts a point between any two ranks; between neighbours it would only make the curve steeper.
    if (edges[edge].length === 3) edges[edge].splice(1, 1);
    edges[edge][0] = [middle(boxes[source]), boxes[source].y + boxes[source].height];
    edges[edge][edges[edge].length - 1] = [middle(boxes[target]), boxes[target].y];
  });
  return {boxes, edges, width: right - left, height: top};
}

function layoutBox({width, height, blocks}) {
  if (!blocks) return {width, height};
  const inner = blocks.map(layoutDrawing);
  const across = inner.reduce((sum, block) => sum + block.width + FRAME, FRAME);
  let x = Math.max(0, (width - across) / 2) + FRAME;
  for (const block of inner) {
    Object.assign(block, {x, y: height});
    x += block.width + FRAME;
  }
  const down = Math.max(...inner.map(block => block.height));
  return {width: Math.max(width, across), height: height + down + FRAME, blocks: inner};
}

function middle(box) { return box.x + box.width / 2; }

// All nodes in an order in which each comes directly before its first reader, if its other sources allow it.
function lateOrder({nodes, edges}) {
  const sources = nodes.map(() => []);
  for (const [source, target] of edges) sources[target].push(source);
  const order = [], isPlaced = new Uint8Array(nodes.length);
  for (let root = 0; root < nodes.length; root++) {
    const stack = [root];
    while (stack.length) {
      const node = stack.at(-1);
      const missing = isPlaced[node] ? [] : sources[node].filter(each => !isPlaced[each]);
      if (missing.length) { stack.push(...missing.reverse()); continue; }
      if (!isPlaced[node]) { isPlaced[node] = 1; order.push(node); }
      stack.pop();
    }
  }
  return order;
}

// Parts of the drawing from top to bottom.  dagre recurses and takes more than linear time, so it lays out one
// part at a time.  A part ends where a single source, or as few as possible, have edges to the parts below it:
// its `exits`, which are the `entries` of the next part.
function partsOf({nodes, edges}, order) {
  const place = [], last = nodes.map(() => -1);
  order.forEach((node, index) => { place[node] = index; });
  for (const [source, target] of edges) last[source] = Math.max(last[source], place[target]);
  const open = new Set(), ends = [];
  let start = 0, best = null;
  order.forEach((node, index) => {
    open.add(node);
    for (const source of open) if (last[source] <= index) open.delete(source);
    if (index - start < MIN_PART) return;
    if (best === null || open.size <= best.open.length) best = {index, open: [...open]};
    if (best.open.length > 1 && index - start < MAX_PART) return;
    ends.push(best);
    [start, best] = [best.index, null];
  });
  if (!ends.length || ends.at(-1).index < order.length - 1) ends.push({index: order.length - 1, open: []});
  let [from, entries] = [0, []];
  const parts = ends.map(({index, open}) => {
    const part = {entries, nodes: order.slice(from, index + 1), edges: [], exits: open};
    [from, entries] = [index + 1, open];
    return part;
  });
  const owner = [];
  parts.forEach((part, number) => part.nodes.forEach(node => { owner[node] = number; }));
  edges.forEach(([source, target], edge) => parts[owner[target]].edges.push([source, target, edge]));
  return parts;
}

// The dagre graph of a part after its layout, and the heights between which it lies: edges from the entries and to
// the exits have a point half a rank away from them, where the parts meet.
function layoutPart({entries, nodes, edges, exits}, boxes) {
  const graph = new dagre.graphlib.Graph({multigraph: true});
  graph.setGraph({...SPACING, ranker: "network-simplex", acyclicer: "greedy"});
  const inside = new Set(nodes), name = source => inside.has(source) ? `${source}` : `in ${source}`;
  for (const source of entries) graph.setNode(`in ${source}`, {width: 1, height: 0});
  for (const node of nodes) graph.setNode(`${node}`, {width: boxes[node].width, height: boxes[node].height});
  for (const [source, target, edge] of edges) graph.setEdge(name(source), `${target}`, {}, `${edge}`);
  for (const source of exits) {
    graph.setNode(`out ${source}`, {width: 1, height: 0});
    graph.setEdge(name(source), `out ${source}`, {}, "trunk");
  }
  // Invisible nodes keep the entries above, and the exits below, all other nodes.
  if (entries.length) border(graph, "ceiling", graph.sources(), source => ["ceiling", source]);
  if (exits.length) border(graph, "floor", graph.sinks(), sink => [sink, "floor"]);
  dagre.layout(graph);
  return {
    graph,
    ceiling: entries.length ? graph.edge(graph.outEdges(`in ${entries[0]}`)[0]).points[1].y : 0,
    floor: exits.length ? graph.edge(graph.inEdges(`out ${exits[0]}`)[0]).points.at(-2).y : graph.graph().height,
  };
}

function border(graph, name, ends, edgeOf) {
  graph.setNode(name, {width: 1, height: 0});
  for (const end of ends) {
    const isPort = /^(in|out) /.test(end);
    graph.setEdge(...edgeOf(end), {weight: isPort ? 100 : 0, minlen: isPort ? 1 : 2}, "border");
  }
}
