"""Measures litebridge's overhead over a device's own runtime; writes docs/benchmarks/overhead.md and .json.

python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md
"""

from __future__ import annotations

import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.tools.bench.overhead_peers import PEERS, source
from lite.tools.bench.processor import processor
from lite.tools.bench.sdk_process import SdkProcess
from lite.tools.demo.ppocr_models import OcrModel, in_turn, ocr_models, timed
from lite.tools.terminal import progress

SHARE, FIXED = 1.03, 0.1
"""The goal: at most the runtime's own time times the first, and the second in milliseconds more."""

TURN = 400.0
"""Each side runs for that many milliseconds, but twice at least, before it is the other's turn."""

MOST_SECONDS, FEWEST_PAIRS = 60, 3
"""Simulators are slow: there are fewer pairs of turns if these would take longer."""

CACHE_GOAL = 2.5
"""The smallest ratio of building time to loading time, for det."""


@dataclass(frozen=True)
class Overhead:
    """One model on one device: medians over turns, in milliseconds."""

    model: str
    device: str
    ours: float
    peer: float
    difference: float
    """The largest difference of the outputs, relative to their largest value."""

    @property
    def ratio(self) -> float:
        """The ratio of litebridge's time to the runtime's own."""
        return self.ours / self.peer

    @property
    def goal(self) -> float:
        """The longest time that litebridge may take, in milliseconds."""
        return SHARE * self.peer + FIXED


@dataclass(frozen=True)
class CacheTimes:
    """One model on one device: medians of preparing its region in milliseconds."""

    model: str
    device: str
    build: float
    load: float
    """From the cache, including the computation of the key and the check of the file."""

    @property
    def ratio(self) -> float:
        """The ratio of building time to loading time."""
        return self.build / self.load


def measure(model: OcrModel, device: str, threads: int, turns: int, advance: Callable[[], None]) -> Overhead:
    """Load the model in both, compare the outputs, and time both in turns."""
    image = model.image()
    config = lite.Config(source(model, device), devices=[device], threads=threads, fallback="error")
    predictor = lite.create_predictor(config)
    (name,), (output,) = predictor.input_names, predictor.output_names
    ours = predictor.run({name: image})[output]
    theirs = np.zeros_like(ours)
    peer = PEERS[device](model, image, theirs, threads)
    run = timed(lambda: predictor.run({name: image}, outputs={output: ours}))
    run_peer = peer if isinstance(peer, SdkProcess) else timed(peer)
    first, first_peer = _turn_of(run), _turn_of(run_peer)
    start = time.perf_counter()
    first(), first_peer()
    most = int(MOST_SECONDS / (time.perf_counter() - start))
    medians = in_turn(first, first_peer, max(FEWEST_PAIRS, min(turns, most)))
    advance()
    return Overhead(model.name, device, *medians, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))


def _turn_of(run: Callable[[], float]) -> Callable[[], float]:
    """The median of the second half of runs one after the other, as in a program that runs nothing else."""

    def turn() -> float:
        times = [run(), run()]
        while sum(times) < TURN:
            times.append(run())
        return statistics.median(times[len(times) // 2 :])

    return turn


def measure_cache(model: OcrModel, device: str, threads: int, runs: int) -> CacheTimes:
    """Build and load the region's model in turn, by `Predictor.prepare`."""
    with tempfile.TemporaryDirectory() as folder:
        _prepare(model, device, threads, folder)
        pairs = [
            (_prepare(model, device, threads, None), _prepare(model, device, threads, folder))
            for _ in range(runs)
        ]
    build, load = (statistics.median(times) for times in zip(*pairs, strict=True))
    return CacheTimes(model.name, device, 1e3 * build, 1e3 * load)


def _prepare(model: OcrModel, device: str, threads: int, cache: str | None) -> float:
    """Create a predictor and prepare its only region; the seconds of the second step."""
    config = lite.Config(
        source(model, device), devices=[device], threads=threads, fallback="error", cache_dir=cache
    )
    predictor = lite.create_predictor(config)
    predictor.prepare({predictor.input_names[0]: model.shape})
    (region,) = predictor.report().to_dict()["regions"]
    return float(region["signatures"][0]["seconds"])


def markdown(
    rows: list[Overhead], caches: list[CacheTimes], threads: int, turns: int, versions: Sequence[str]
) -> str:
    """The page: both tables, and the conditions of the measurement."""
    lines = [
        "# Overhead over the runtimes of devices",
        "",
        f"{processor()}, Python {platform.python_version()}, numpy {np.__version__},",
        *(f"{version}," for version in versions),
        f"{threads} thread(s), in milliseconds.  Both sides read and write the caller's arrays.  They take",
        f"{turns} turns each (fewer if they take over {MOST_SECONDS} s), of {TURN / 1e3:g} s and at least",
        "two runs; a figure is the median over the turns of the median of a turn's second half.",
        "OpenVINO reads the Paddle model, reshaped to the image, with the hint LATENCY.  Its threads are not",
        "pinned to cores, like litebridge's: by default both would share the first core.  ONNX Runtime runs",
        "the ONNX file, bound to the arrays.  LiteRT, ONNX Runtime with Qualcomm's provider (qnn) and JAX's",
        "client (xla) run the files that `litebridge build` writes.  So do RKNN-Toolkit2 and TPU-MLIR (tpu),",
        "in a process of their own interpreter, which measures its runs itself and is stopped between them.",
        f"The goal is at most {SHARE - 1:.0%} and {FIXED} ms above the runtime itself.",
        "Written by `python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md`.",
        "",
        "| model | device | litebridge | the runtime itself | ratio | goal | differs by |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.device} | {row.ours:.3f} | {row.peer:.3f} | {row.ratio:.3f} "
        f"| ≤ {row.goal:.3f} | {row.difference:.1e} |"
        for row in rows
    ]
    lines += [
        "",
        "## The cache of compiled models",
        "",
        "The time to prepare the model of a region: to build it from the graph, or to load it from",
        "`cache_dir`, which includes the computation of the key and the check of the file.",
        "",
        "| model | device | build | load | faster | goal |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.model} | {row.device} | {row.build:.0f} | {row.load:.0f} | {row.ratio:.1f} × "
        f"| {f'≥ {CACHE_GOAL} ×' if row.model == 'det' else ''} |"
        for row in caches
    ]
    return "\n".join(lines) + "\n"


@click.command(
    epilog="""
\b
Examples:
  python -m lite.tools.bench.overhead
  python -m lite.tools.bench.overhead --device openvino --turns 31
  python -m lite.tools.bench.overhead --out docs/benchmarks/overhead.md

A ratio of 1.02 means that litebridge is 2 % slower than the runtime alone.  Repeat the measurement on a
quiet machine before you rely on a difference of a few percent.
"""
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(sorted(PEERS)),
    multiple=True,
    help="Measure only this device; can be repeated.  [default: all that are available]",
)
@click.option(
    "--model",
    "names",
    type=click.Choice(["det", "rec", "cls"]),
    multiple=True,
    help="Measure only this model; can be repeated.  [default: all]",
)
@click.option("--threads", default=1, show_default=True, help="Threads of both runtimes.")
@click.option("--turns", default=21, show_default=True, help="Turns of each side.")
@click.option(
    "--cache-runs", default=5, show_default=True, help="How many times each model is built and loaded."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the page to this file, and the numbers to a .json file beside it, instead of printing.",
)
def main(
    devices: tuple[str, ...],
    names: tuple[str, ...],
    threads: int,
    turns: int,
    cache_runs: int,
    out: Path | None,
) -> None:
    """Time PP-OCRv4 det, rec and cls in litebridge and in the device's own runtime, in turn.

    Then time the preparation of a region's model, built and loaded from the cache.  Needs the extras demo
    and peers, and those of the devices.
    """
    found = {info.name: info for info in lite.list_devices() if info.name in PEERS}
    for device in devices:
        if found[device].why_not is not None:
            raise click.ClickException(f"{device}: {found[device].why_not}")
    chosen = devices or [device for device in PEERS if found[device].why_not is None]
    models = [model for model in ocr_models() if not names or model.name in names]
    jobs = [(model, device) for device in chosen for model in models]
    with progress(len(jobs), "running") as advance:
        rows = [measure(model, device, threads, turns, advance) for model, device in jobs]
    with progress(len(jobs), "building and loading") as advance:
        caches: list[CacheTimes] = []
        for model, device in jobs:
            caches.append(measure_cache(model, device, threads, cache_runs))
            advance()
    text = markdown(rows, caches, threads, turns, [str(found[device].version) for device in chosen])
    if out is None:
        click.echo(text)
        return
    out.write_text(text, encoding="utf-8")
    numbers = {
        "threads": threads,
        "runs": [{**asdict(row), "ratio": row.ratio, "goal": row.goal} for row in rows],
        "cache": [{**asdict(row), "ratio": row.ratio} for row in caches],
    }
    out.with_suffix(".json").write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    click.echo(f"wrote {out} and {out.with_suffix('.json')}")


if __name__ == "__main__":
    main()
