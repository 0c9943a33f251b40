"use strict";
// The colour of an item by its kind, device, element type, time or error, and the legend of the colours.

const HUES = [210, 30, 130, 330, 270, 170, 60, 0];
const GREY = {hue: 220, tint: 10};
const END = {hue: 140, tint: 48};  // arguments and results

const PLACES = new Map();  // device or target → hue, in the order of their appearance
const TYPES = new Map();

function hueOf(map, name) {
  if (!map.has(name)) map.set(name, HUES[map.size % HUES.length]);
  return map.get(name);
}

const targetOf = place => place.split("/")[0];

function typeOf(item) {
  if (!item.isOp) return "";
  const [value] = mainOutput(item);
  if (!value) return "";
  const [, kind] = value.type.match(/^(?:\w+ )?(\w+)/) || [];
  return value.quant ? `${value.quant.split(",")[0]}, quantised` : kind || "";
}

// 0 to 1 on a logarithmic scale, from the thousandth part of the largest.
function heat(part) {
  return part > 0 ? Math.max(0, 1 + Math.log10(Math.min(1, part)) / 3) : 0;
}

// From blue over purple to red, which differ in any lightness.
const heatColour = level => ({hue: 215 + 142 * level, tint: 14 + 58 * level});

let longest = 0;
function timeHeat(item) {
  longest ||= Math.max(...[...TIMES.values()].map(time => time.us), 1e-9);
  const time = timeOf(item);
  return time && heat(time.us / (item.kind === "repeat" ? Math.max(longest, time.us) : longest));
}

// From 0 at a millionth of the tolerance to 1 at a thousand times the tolerance.
function errorHeat(item) {
  const found = errorOf(item);
  if (!found) return null;
  if (found.error === null || found.error === Infinity) return 1;
  const level = Math.log10(found.error / (DATA.differences.tolerance || 1e-6));
  return found.error ? Math.min(1, Math.max(0.02, (level + 6) / 9)) : 0;
}

// Name → [title, whether the page has it, colour of an op or a repeat].
const COLOURINGS = new Map([
  ["kind", ["kind of op", () => true, item => {
    if (item.kind === "repeat") return GREY;
    const [name, , hue] = categoryOf(item.node.op);
    return {hue, tint: name === "other" ? 12 : 48};
  }]],
  ["place", ["device", () => true, item => {
    const place = targetOf(placeOf(item));
    return place ? {hue: hueOf(PLACES, place), tint: place === "host" ? 10 : 48} : GREY;
  }]],
  ["type", ["element type", () => true, item =>
    typeOf(item) ? {hue: hueOf(TYPES, typeOf(item)), tint: 48} : GREY]],
  ["time", ["time", () => TIMES.size > 0, item => {
    const level = timeHeat(item);
    return level === null ? GREY : heatColour(level);
  }]],
  ["error", ["error", () => ERRORS.size > 0, item => {
    const level = errorHeat(item);
    return level === null ? GREY : level === 0 ? END : heatColour(level);
  }]],
]);

let colouring = "kind";

function colourOf(item) {
  if (item.kind === "argument" || item.kind === "result") return END;
  const [, , colour] = COLOURINGS.get(colouring);
  return colour(item);
}

const colourStyle = ({hue, tint}) => `--hue: ${Math.round(hue)}; --tint: ${Math.round(tint)}%`;

// Pairs of a text and a colour.
function legend() {
  if (colouring === "kind") return [...CATEGORIES, OTHER].map(([name, title, hue]) =>
    [title, {hue, tint: name === "other" ? 12 : 48}]);
  if (colouring === "place") return [...PLACES].map(([place, hue]) =>
    [place, {hue, tint: place === "host" ? 10 : 48}]).concat([["not chosen at this stage", GREY]]);
  if (colouring === "type") return [...TYPES].map(([type, hue]) => [type, {hue, tint: 48}]);
  const steps = [1, 0.66, 0.33, 0.02];
  if (colouring === "time") return steps.map(level =>
    [microseconds(longest * 10 ** (3 * (level - 1))), heatColour(level)]).concat([["not measured", GREY]]);
  const {tolerance} = DATA.differences;
  return steps.map(level => [`error ${scientific(tolerance * 10 ** (9 * level - 6))}`, heatColour(level)])
    .concat([["equal", END], ["in one run only", GREY]]);
}

function microseconds(us) {
  if (us >= 1e6) return `${(us / 1e6).toPrecision(3)} s`;
  if (us >= 1e3) return `${(us / 1e3).toPrecision(3)} ms`;
  return `${us >= 100 ? Math.round(us) : us.toPrecision(2)} µs`;
}

function bytesText(size) {
  if (size === null || size === undefined) return "?";
  let amount = size;
  for (const unit of ["B", "KiB", "MiB"]) {
    if (amount < 1024) return `${Number(amount.toPrecision(amount < 1000 ? 3 : 4))} ${unit}`;
    amount /= 1024;
  }
  return `${Number(amount.toPrecision(4))} GiB`;
}

const scientific = number => number === 0 ? "0" : number === Infinity ? "∞"
  : number >= 0.001 && number < 1000 ? `${Number(number.toPrecision(3))}` : number.toExponential(1);
const percent = share => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const grouped = number => Math.round(number).toLocaleString("en");
const macsText = count => count >= 1e9 ? `${(count / 1e9).toPrecision(3)} G` : count >= 1e6 ?
  `${(count / 1e6).toPrecision(3)} M` : count >= 1e3 ? `${(count / 1e3).toPrecision(3)} k` : `${count}`;
