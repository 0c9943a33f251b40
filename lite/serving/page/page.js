"use strict";

const MOST_ZEROS = 4096;
const byId = (id) => document.getElementById(id);
let models = [];
let written = "";

function cell(row, text, className) {
  const made = row.insertCell();
  made.textContent = text;
  if (className) made.className = className;
}

function time(us) {
  if (us === undefined) return "";
  if (us === null) return "–";
  return us < 1000 ? `${us} µs` : `${us / 1000} ms`;
}

function devices(model) {
  const coverage = Object.entries(model.placement?.coverage ?? {});
  const parts = coverage.map(([name, share]) => `${name} ${Math.round(100 * share.ops)} %`);
  return parts.join(", ") || (model.steps?.length ? model.steps.join(" → ") : model.platform ?? "");
}

function showModels() {
  const body = byId("models");
  body.replaceChildren();
  for (const model of models) {
    const row = body.insertRow();
    const failed = Object.values(model.failures ?? {}).reduce((sum, count) => sum + count, 0);
    cell(row, model.name);
    cell(row, model.version ?? "");
    cell(row, model.state, model.state);
    for (const text of [model.requests, failed, time(model.p50_us), time(model.p99_us), model.waiting]) {
      cell(row, text ?? "", "number");
    }
    cell(row, devices(model));
  }
}

function chosen() {
  return models.find((model) => `${model.name}/${model.version}` === byId("chosen").value);
}

function showChoice() {
  const select = byId("chosen");
  const names = models.filter((model) => model.inputs).map((model) => `${model.name}/${model.version}`);
  if (names.join() === [...select.options].map((option) => option.value).join()) return;
  const before = select.value;
  select.replaceChildren(...names.map((name) => new Option(name, name)));
  if (names.includes(before)) select.value = before;
  showExample();
}

function showPlacement() {
  const model = chosen();
  byId("reason").textContent = model?.reason ?? "";
  byId("regions").replaceChildren();
  for (const region of model?.placement?.regions ?? []) {
    const row = byId("regions").insertRow();
    cell(row, region.id);
    cell(row, region.device);
    cell(row, region.ops, "number");
    cell(row, region.state);
    cell(row, region.runs, "number");
    cell(row, region.host_runs, "number");
    cell(row, region.reason);
  }
  const line = (spec) => `  ${spec.name}: ${spec.datatype} [${spec.dims.join(", ")}]`;
  byId("tensors").textContent = model
    ? ["inputs", ...model.inputs.map(line), "outputs", ...model.outputs.map(line)].join("\n")
    : "";
}

function showExample() {
  const model = chosen();
  if (!model || byId("body").value !== written) return;
  const inputs = model.inputs.map((spec) => {
    const shape = spec.dims.map((size) => (size < 0 ? 1 : size));
    const count = shape.reduce((product, size) => product * size, 1);
    const zero = spec.datatype === "BYTES" ? "" : spec.datatype === "BOOL" ? false : 0;
    const data = count <= MOST_ZEROS ? Array(count).fill(zero) : [];
    return { name: spec.name, datatype: spec.datatype, shape, data };
  });
  written = JSON.stringify({ inputs }).replaceAll('{"name"', '\n {"name"');
  byId("body").value = written;
}

async function refresh() {
  try {
    const answer = await fetch("health", { headers: authorization() });
    if (!answer.ok) throw new Error((await answer.json()).error);
    const health = await answer.json();
    models = health.models;
    byId("server").textContent = `server ${health.server}, devices ${health.devices}, up ${Math.round(health.uptime_s)} s`;
    showModels();
    showChoice();
    showPlacement();
  } catch (error) {
    byId("server").textContent = `the server does not answer: ${error.message}`;
  }
}

function authorization() {
  // A server with a token: open the page as /#token=TEXT, which is not sent to the server.
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function send(event) {
  event.preventDefault();
  const model = chosen();
  if (!model) return;
  const path = `v2/models/${encodeURIComponent(model.name)}/versions/${model.version}/infer`;
  const begin = performance.now();
  try {
    const answer = await fetch(path, { method: "POST", body: byId("body").value, headers: authorization() });
    const text = await answer.text();
    byId("took").textContent = `${answer.status}, ${(performance.now() - begin).toFixed(1)} ms`;
    byId("took").className = answer.ok ? "OK" : "failed";
    byId("answer").textContent = text;
  } catch (error) {
    byId("took").textContent = error.message;
    byId("took").className = "failed";
  }
  refresh();
}

byId("form").addEventListener("submit", send);
byId("chosen").addEventListener("change", () => {
  showPlacement();
  written = byId("body").value;
  showExample();
});
refresh();
setInterval(refresh, 2000);
