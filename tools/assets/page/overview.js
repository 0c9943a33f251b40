"use strict";
// The first tab: the most important facts, and tables of the placement.

const SLOWEST = 8;

function card(title, text, note = "") {
  return html("div", {class: "card"}, html("div", {class: "note"}, title), html("b", {}, text),
    note ? html("div", {class: "note"}, note) : null);
}

function overview() {
  const last = stageGraph(DATA.stages.length - 1, false), first = stageGraph(0, false);
  const {placement, timeline, memory, differences} = DATA, cards = [], parts = [];
  cards.push(card("ops", `${last.ops.length}`, DATA.stages.length > 1 ? `${first.ops.length} as loaded` : ""));
  const macs = sum(last.items, macsOf) || (placement ? sum(placement.ops, ([, , , , count]) => count || 0) : 0);
  if (macs) cards.push(card("multiply-accumulates", macsText(macs), "in one run"));
  if (timeline) cards.push(card("one run", microseconds(timeline.wall), `mean of ${timeline.runs}`));
  if (placement?.times) {
    const {load_ms: load, cold_ms: cold, warm_ms: warm, runs} = placement.times;
    if (warm !== null && !timeline) cards.push(card("one run", microseconds(1e3 * warm), `median of ${runs}`));
    cards.push(card("first run", microseconds(1e3 * cold), `after ${microseconds(1e3 * load)} to load and optimise`));
  }
  if (placement?.devices.length)
    cards.push(card("regions", `${placement.regions.length}`, `on ${placement.devices.join(", ")}`));
  if (memory) cards.push(card("memory between ops", bytesText(sum(memory.arenas, arena => arena.size)),
    `weights ${bytesText(memory.weights)}`));
  if (differences) {
    const wrong = differences.outputs.filter(([, , problem]) => problem).length;
    cards.push(card("outputs", wrong ? `${wrong} of ${differences.outputs.length} differ` : "equal",
      `tolerance ${scientific(differences.tolerance)}`));
  }
  parts.push(html("div", {class: "cards"}, ...cards));
  for (const warning of placement?.warnings || []) parts.push(html("p", {class: "warning"}, warning));
  if (differences) parts.push(html("p", {class: "lead"}, differences.sentence));
  if (placement) parts.push(...placementSections(placement));
  if (timeline) parts.push(slowestSection());
  parts.push(part("Op types", typesTable(last)));
  return parts;
}

function placementSections({coverage, regions, pruned, ops, devices}) {
  const parts = [];
  const isKnown = key => Object.values(coverage).some(shares => shares[key] > 0);
  const kinds = [["ops", "ops"], ["macs", "MACs"], ["bytes", "bytes written"]].filter(([key]) => isKnown(key));
  parts.push(part("Where it runs", html("table", {class: "coverage"},
    html("thead", {}, html("tr", {}, html("th", {scope: "col"}, "place"),
      ...kinds.map(([, title]) => html("th", {scope: "col"}, title)))),
    html("tbody", {}, ...Object.entries(coverage).map(([place, shares]) => html("tr", {},
      html("th", {scope: "row"}, place), ...kinds.map(([key]) => html("td", {},
        html("span", {class: "bar"}, html("span", {style: `width: ${100 * shares[key]}%`})), percent(shares[key]))))))) ));
  const reasons = new Map();
  for (const [, , type, place, , declined] of ops) if (place === "host") for (const [device, reason] of declined) {
    const key = JSON.stringify([type, device, reason]);
    reasons.set(key, (reasons.get(key) || 0) + 1);
  }
  const rows = [...reasons].map(([key, count]) => [count, ...JSON.parse(key)]);
  if (rows.length) parts.push(part("Why ops stay on the host", new DataTable("Why ops stay on the host", [
    {title: "ops", value: ([count]) => count, isNumber: true}, {title: "type", value: row => row[1]},
    {title: "declined by", value: row => row[2]}, {title: "why", value: row => row[3]},
  ], rows, ([, type]) => searchFor(type)).element));
  if (regions.length || pruned.length) parts.push(part("Regions", new DataTable("Regions", [
    {title: "region", value: region => region.id, isNumber: true}, {title: "device", value: region => region.device},
    {title: "ops", value: region => region.ops.length, isNumber: true},
    {title: "bytes at the boundary", value: region => region.bytes, text: region => bytesText(region.bytes), isNumber: true},
    {title: "state", value: region => [region.state, region.reason].filter(Boolean).join(": ")},
    {title: "models", value: region => region.signatures.length,
      text: ({signatures}) => signatures.map(each => `${each.signature}: ${each.state} in ${
        microseconds(1e6 * each.seconds)}, ${each.runs} runs${each.host_runs ? `, ${each.host_runs} on the host` : ""}`).join("; ")},
  ], regions, region => visitRegion(region)).element,
  ...pruned.map(([device, count, reason]) =>
    html("p", {class: "note"}, `${count} ops of ${device} were left to the host: ${reason}`))));
  else if (devices.length) parts.push(html("p", {class: "note"}, "No device runs a region of this model."));
  return parts;
}

function visitRegion(region) {
  openTab("graph");
  for (const name of region.outputs) if (visitValue(region.block, name)) return;
}

function slowestSection() {
  const rows = [...TIMES].filter(([, time]) => time.us > 0).sort(([, a], [, b]) => b.us - a.us).slice(0, SLOWEST);
  const largest = rows.length ? rows[0][1].us : 1;
  const lines = rows.map(([key, time]) => {
    const [block, name] = key.split("\n");
    return html("tr", {},
      html("th", {scope: "row"}, html("button", {class: "link", onclick: () => { openTab("graph"); visitValue(block, name); }},
        `${time.op} ${name}`)),
      html("td", {}, html("span", {class: "bar"}, html("span", {style: `width: ${100 * time.us / largest}%`})),
        `${microseconds(time.us)}, ${percent(time.share)}`));
  });
  return part("The slowest ops", html("table", {class: "coverage"}, html("tbody", {}, ...lines)),
    html("p", {class: "note"}, DATA.timeline.summary));
}

function typesTable(graph) {
  const groups = new Map();
  for (const item of graph.ops) {
    const group = groups.get(item.node.op) || {op: item.node.op, count: 0, us: null, macs: 0};
    const time = timeOf(item);
    group.count++;
    if (time) group.us = (group.us || 0) + time.us;
    if (!item.blocks.length) group.macs += macsOf(item);
    groups.set(item.node.op, group);
  }
  const columns = [
    {title: "type", value: group => group.op}, {title: "ops", value: group => group.count, isNumber: true},
    {title: "MACs", value: group => group.macs || null, text: group => group.macs ? macsText(group.macs) : "", isNumber: true},
  ];
  if (TIMES.size) columns.push({title: "time", value: group => group.us,
    text: group => group.us === null ? "" : microseconds(group.us), isNumber: true});
  const rows = [...groups.values()].sort((a, b) => (b.us || 0) - (a.us || 0) || b.count - a.count);
  return new DataTable("Op types", columns, rows, group => { openTab("ops"); searchFor(group.op); }).element;
}
