"""Times tuned placements against each device alone and OpenVINO's; writes docs/benchmarks/placement.md.

python -m lite.tools.bench.placement MODELS... --json rows.json --out docs/benchmarks/placement.md

A model is a folder with reference.npz and model.onnx or Paddle files, or a file NAME.pnnx.param with
NAME.npz beside it.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from lite.config import Config
from lite.cores import usable_cores
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.types import HOST, Array
from lite.session.predictor import create_predictor
from lite.subgraph.tuned_placements import TUNED_FILE, TunedPlacements
from lite.tools.analysis.plan_tuning import PlanTuner
from lite.tools.bench.peers.row import geomean
from lite.tools.bench.processor import processor
from lite.tools.bench.recorded_inputs import feeds_of
from lite.tools.options.output import page_option, print_or_write

DEVICE_SETS = (("openvino",), ("openvino", "onnxruntime"))
ROUNDS, TURN_SECONDS = 40, 0.02
INSTANCES = 2
"""Instances of each placement; where an allocator puts weights changes the time of small models."""
FASTER = 1.03
"""A gain above the noise of these measurements."""
TUNED, HETERO, AUTO = "tuned", "HETERO", "AUTO"

Placement = list[tuple[str, ...]]
"""The device and the ops of each region."""


@dataclass(frozen=True)
class Row:
    """Least milliseconds of a run by placement, of a model with devices and threads.

    `regions` is the chosen placement; `error` says why the model is left out.
    """

    model: str
    devices: str
    threads: int
    milliseconds: dict[str, float]
    regions: str
    tuning_seconds: float = 0.0
    error: str = ""

    def ratio(self, *others: str) -> float:
        """The least time of `others`, by default host and devices, divided by the tuned time."""
        names = others or (HOST, *self.devices.split(", "))
        times = [self.milliseconds[name] for name in names if name in self.milliseconds]
        return min(times) / self.milliseconds[TUNED] if times and TUNED in self.milliseconds else np.nan


def measure(model: Path, devices: Sequence[str], threads: int, budget: float) -> Row:
    """Tune a model, and time it, each device alone and OpenVINO's own placements in turns."""
    path, feeds = feeds_of(model)
    shapes = {name: array.shape for name, array in feeds.items()}
    runs: dict[str, list[Callable[[], object]]] = {}
    placements: dict[str, Placement] = {}

    def add(name: str, **options: Any) -> None:
        predictors = [
            create_predictor(
                Config(path, threads=threads, input_shapes=shapes, compilation="wait", **options)
            )
            for _ in range(INSTANCES)
        ]
        for predictor in predictors:
            predictor.run(feeds)
        runs[name] = [functools.partial(predictor.run, feeds) for predictor in predictors]
        placements[name] = [(each.device, *sorted(each.ops)) for each in predictor.report().regions]

    label = ", ".join(devices)
    try:
        config = Config(path, devices=devices, threads=threads, input_shapes=shapes)
        start = time.perf_counter()
        tuned = TunedPlacements()
        tuner = PlanTuner(config, feeds, {}, budget, tuned)
        tuner.enter(tuner.run())
        seconds = time.perf_counter() - start
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, TUNED_FILE).write_text(tuned.to_json(), encoding="utf-8")
            add(TUNED, devices=devices, placement="cost", cache_dir=folder)
        add(HOST)
        for device in devices:
            add(device, devices=[device])
        same = single_place(placements, (HOST, *devices))
        if same is not None:
            # Instances of one plan differ by chance only, so they count together.
            runs[same] += runs.pop(TUNED)
    except LiteError as error:
        return Row(model.name, label, threads, {}, "", error=str(error).splitlines()[0])
    for name in (HETERO, AUTO):
        requests = [_openvino(path, feeds, name, threads) for _ in range(INSTANCES)]
        found = [run for run in requests if run is not None]
        if found:
            runs[name] = found
    times = _least(runs)
    times.setdefault(TUNED, times.get(same or TUNED, np.nan))
    regions = ", ".join(f"{device} {len(ops)}" for device, *ops in placements[TUNED])
    return Row(
        model.name.removesuffix(".pnnx.param"), label, threads, times, regions or HOST, round(seconds, 1)
    )


def single_place(placements: Mapping[str, Placement], places: Sequence[str]) -> str | None:
    """The place alone whose placement was chosen, if it is one of these."""
    return next((name for name in places if placements[name] == placements[TUNED]), None)


def _openvino(path: Path, feeds: Mapping[str, Array], name: str, threads: int) -> Callable[[], object] | None:
    """A run on OpenVINO's HETERO or AUTO device over the CPU; None for a model that it does not read."""
    import openvino

    file = path / "inference.pdmodel" if path.is_dir() else path
    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"})
    try:
        model = core.read_model(str(file))
        model.reshape({n: list(array.shape) for n, array in enumerate(feeds.values())})
        request = core.compile_model(
            model, f"{name}:CPU", {"PERFORMANCE_HINT": "LATENCY"}
        ).create_infer_request()
        arrays = list(feeds.values())
        request.infer(arrays)
    except Exception:  # noqa: BLE001 - whatever OpenVINO raises, it does not run the model
        return None

    def run() -> object:
        results = request.infer(arrays)
        return [results[n] for n in range(len(results))]

    return run


def _least(runs: Mapping[str, Sequence[Callable[[], object]]]) -> dict[str, float]:
    """The least milliseconds of a run of each, in turns whose order changes."""
    least = dict.fromkeys(runs, float("inf"))
    names = list(runs)
    for number in range(ROUNDS):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            run = runs[name][number % len(runs[name])]
            run()
            begin = start = time.perf_counter()
            while start - begin < TURN_SECONDS:
                run()
                end = time.perf_counter()
                least[name], start = min(least[name], end - start), end
    return {name: round(seconds * 1e3, 4) for name, seconds in least.items()}


@click.command()
@click.argument("models", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--threads", multiple=True, type=int, default=(1, 2), show_default=True)
@click.option("--budget", type=float, default=20.0, show_default=True, help="Seconds of tuning for a row.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Keep the rows here; add to them.")
@page_option
def main(
    models: tuple[Path, ...], threads: tuple[int, ...], budget: float, json_file: Path | None,
    out: Path | None,
) -> None:  # fmt: skip
    """Tune and time each of MODELS with OpenVINO, and with OpenVINO and ONNX Runtime.

    A row has a process of its own.  Rows that FILE of --json has are not measured again.
    """
    rows: list[Row] = []
    if json_file is not None and json_file.is_file():
        rows = [Row(**each) for each in json.loads(json_file.read_text(encoding="utf-8"))]
    known = {(row.model, row.devices, row.threads) for row in rows}
    for model, devices, count in _cases(models, threads):
        name = model.name.removesuffix(".pnnx.param")
        if (name, ", ".join(devices), count) in known:
            continue
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(measure, (model, devices, count, budget))
        rows.append(row)
        click.echo(f"{row.ratio():.3f} {row}", err=True)
        if json_file is not None:
            text = json.dumps([asdict(each) for each in rows], indent=1)
            json_file.write_text(text + "\n", encoding="utf-8")
    print_or_write(page(rows), out)


def _cases(models: Sequence[Path], threads: Sequence[int]) -> Iterator[tuple[Path, tuple[str, ...], int]]:
    for count in threads:
        for devices in reversed(DEVICE_SETS):
            for model in models:
                yield model, devices, count


def page(rows: Sequence[Row]) -> str:
    """The page in Markdown."""
    lines = [
        "# Placement by measured regions",
        "",
        "`litebridge tune` measures ranges of ops whole, and stores the fastest placement, which",
        '`Config(placement="cost")` uses. Least milliseconds of a run, of two instances of each placement',
        "that take turns in one process, with recorded inputs. All places compute on the same cores. Gain is",
        "the time of the best single place (the host, or one device with the host for the rest) divided by",
        "the tuned time: above 1 if several places together are faster, and 1 if that single place was",
        "chosen. HETERO and AUTO are OpenVINO's, over its CPU device, on models that it reads. Other work on",
        "the machine while a model is tuned can make the choice wrong.",
        f"{processor()}, {usable_cores()} cores.",
        "Written by `python -m lite.tools.bench.placement MODELS --out docs/benchmarks/placement.md`.",
        "",
        "| devices | threads | models | gain, geomean | least gain | ≥ 1.03 | ≥ 1.1 | over HETERO, AUTO |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    measured = [row for row in rows if not row.error]
    for group in dict.fromkeys((row.devices, row.threads) for row in measured):
        part = [row for row in measured if (row.devices, row.threads) == group]
        gains = [row.ratio() for row in part]
        peers = [ratio for row in part if (ratio := row.ratio(HETERO, AUTO)) == ratio]
        lines.append(
            f"| {group[0]} | {group[1]} | {len(part)} | {geomean(gains):.3f} | {min(gains):.3f} "
            f"| {sum(gain >= FASTER for gain in gains)} | {sum(gain >= 1.1 for gain in gains)} "
            f"| {geomean(peers):.2f} |"
        )
    lines += ["", "## Gains", "", *_table([row for row in measured if row.ratio() >= FASTER])]
    lines += ["", "## All models", "", *_table(measured)]
    left_out = [f"- {row.model}, {row.devices}: {row.error}" for row in rows if row.error]
    return "\n".join([*lines, *(["", "Left out:", "", *left_out] if left_out else [])]) + "\n"


def _table(rows: Sequence[Row]) -> list[str]:
    columns = (TUNED, HOST, "openvino", "onnxruntime", HETERO, AUTO)
    lines = [f"| model | devices | threads | {' | '.join(columns)} | gain | regions |"]
    lines.append("|---|---|---:|" + "---:|" * (len(columns) + 1) + "---|")
    for row in rows:
        times = " | ".join(f"{row.milliseconds[n]:.3f}" if n in row.milliseconds else "–" for n in columns)
        lines.append(
            f"| {row.model} | {row.devices} | {row.threads} | {times} | {row.ratio():.3f} | {row.regions} |"
        )
    return lines


if __name__ == "__main__":
    main()
