"use strict";
// Finds blocks of ops that follow each other several times, such as the layers of a network, and folds them.

const MIN_FOLDED = 120;   // ops: smaller graphs start unfolded
const MIN_BLOCK = 4;      // ops of a block
const MAX_DEPTH = 3;

const foldedGraphs = new Map();

// The graph's data, with a node {name, inside, …} for each repeated block, if it is to be folded.
function foldedData(data, isFolded) {
  if (!isFolded || data.isFolded) return data;
  if (!foldedGraphs.has(data)) foldedGraphs.set(data, foldRepeats(data, 0));
  return foldedGraphs.get(data);
}

function foldRepeats(data, depth) {
  const {nodes} = data, {lives, last} = crossings(data), folded = [];
  const numbers = new Map();
  const numberOf = op => numbers.get(op) ?? numbers.set(op, numbers.size).get(op);
  const signatures = Int32Array.from(nodes, index => numberOf(DATA.nodes[index].op));
  const fold = (start, stop) => {
    const found = depth < MAX_DEPTH ? bestRepeat(signatures, lives, start, stop) : null;
    if (!found) { folded.push(...nodes.slice(start, stop)); return; }
    const {first, period, count} = found;
    fold(start, first);
    for (let number = 0; number < count; number++) {
      const from = first + number * period;
      folded.push(blockNode(data, last, from, from + period, `block ${number + 1} of ${count}`, depth));
    }
    fold(first + count * period, stop);
  };
  fold(0, nodes.length);
  return {...data, nodes: folded, isFolded: true};
}

// The repetition that hides the most ops: `count` blocks of `period` equal op types from `first`.
function bestRepeat(signatures, lives, start, stop) {
  let best = null;
  for (let period = MIN_BLOCK; period <= (stop - start) / 2; period++) {
    let run = 0;
    for (let index = start + period; index <= stop; index++) {
      if (index < stop && signatures[index] === signatures[index - period]) { run++; continue; }
      const count = Math.floor(run / period) + 1;
      if (count >= 3 || (count === 2 && period >= 8)) {
        const hidden = count * (period - 1);
        const isShortest = () => !hasPart(signatures, index - run - period, index, period);
        if ((!best || hidden > best.hidden) && isShortest()) best = {hidden, period, count, from: index - run - period, slack: run % period};
      }
      run = 0;
    }
  }
  return best && {...best, first: quietStart(best, lives)};
}

// Whether what repeats with a period repeats with a shorter one, too, that is long enough for a block.
function hasPart(signatures, start, stop, period) {
  for (let part = 1; part <= period / 2; part++) {
    if (period % part) continue;
    let index = start + part;
    while (index < stop && signatures[index] === signatures[index - part]) index++;
    if (index === stop) return Math.ceil(MIN_BLOCK / part) * part < period;
  }
  return false;
}

// Among the possible starts of a repetition, the one at which the fewest values cross the edges of blocks.
function quietStart({from, slack, period, count}, lives) {
  let [best, least] = [from, Infinity];
  for (let first = from; first <= from + slack; first++) {
    let cost = 0;
    for (let number = 0; number <= count; number++) cost += lives[first + number * period];
    if (cost < least) [best, least] = [first, cost];
  }
  return best;
}

const inputsOf = index => DATA.nodes[index].inputs.flatMap(([, values]) => values);
const outputsOf = index => DATA.nodes[index].outputs.flatMap(([, values]) => values);
const isConstant = value => DATA.values[value][3] >= 0;

// The number of values that are in use before each node and after the last, and the last reader of each value:
// a place in `nodes`, or their number for a result.
function crossings({args, nodes, results}) {
  const first = new Map(args.map(value => [value, 0])), last = new Map();
  nodes.forEach((node, index) => {
    for (const value of outputsOf(node)) first.set(value, index + 1);
    for (const value of inputsOf(node)) last.set(value, index);
  });
  for (const [, value] of results) last.set(value, nodes.length);
  const steps = new Int32Array(nodes.length + 2);
  for (const [value, begin] of first)
    if (last.has(value) && last.get(value) >= begin) { steps[begin]++; steps[last.get(value) + 1]--; }
  let live = 0;
  return {lives: Array.from({length: nodes.length + 1}, (_, index) => live += steps[index]), last};
}

function blockNode(data, last, from, to, name, depth) {
  const inner = data.nodes.slice(from, to), written = new Set(inner.flatMap(outputsOf));
  const args = [...new Set(inner.flatMap(inputsOf))].filter(value => !written.has(value) && !isConstant(value));
  const results = [...written].filter(value => last.get(value) >= to);
  const label = value => DATA.values[value][0];
  const inside = {name, args, nodes: inner, results: results.map(value => [label(value), value])};
  return {
    name, inside: foldRepeats(inside, depth + 1), inputs: [["", args]], outputs: [["", results]], attrs: [], defaults: [],
    effect: inner.some(node => DATA.nodes[node].effect), size: to - from,
    main: mainOps(inner),
  };
}

// The op types that occur in a block, those of the heaviest kinds first.
function mainOps(nodes) {
  const rank = op => CATEGORIES.indexOf(categoryOf(op)) + (categoryOf(op) === OTHER ? 100 : 0);
  return [...new Set(nodes.map(node => DATA.nodes[node].op))].sort((a, b) => rank(a) - rank(b));
}
