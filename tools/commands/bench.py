"""litebridge bench: how fast a model is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from lite.io.load import load_program
from lite.session.predictor import Predictor
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.peak_memory import peak_memory
from lite.tools.stopwatch import Latency, Limit, latency, time_runs
from lite.tools.terminal import print_facts, print_json, progress

RUNS = 50


@dataclass(frozen=True)
class Bench:
    """What was measured.

    Milliseconds to read the model, to take it through the passes, and of the first run, which plans
    for these shapes; the runs of all clones together, and how many came to an end per second;
    `peak_bytes` of the whole process, None where the system does not say.
    """

    load_ms: float
    optimize_ms: float
    first_ms: float
    threads: int
    clones: int
    warmup: int
    runs: int
    latency: Latency
    runs_per_second: float
    peak_bytes: int | None


@click.command(short_help="Measure how fast MODEL is.")
@model_argument
@feed_options
@click.option("--warmup", type=click.IntRange(min=0), default=3, show_default=True, help="Runs before all.")
@click.option("--runs", type=click.IntRange(min=1), help=f"How many runs to time.  [default: {RUNS}]")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="Time runs for so long, instead of --runs."
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Most cores that a run uses."
)
@click.option(
    "--clones",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many clones run at the same time, each in a thread.",
)
@passes_option
@device_options
@json_option
@debug_option
def bench(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    warmup: int,
    runs: int | None,
    seconds: float | None,
    threads: int,
    clones: int,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Time MODEL: loading, optimising, the first run, and the runs behind some that warm up.

    \b
    Examples:
      litebridge bench model_dir --shape x=2,4
      litebridge bench model_dir --shape x=2,4 --seconds 0.5 --threads 2
      litebridge bench model_dir --input x=x.npy --runs 100 --clones 4 --json

    Shows the least, mean and largest time of a run, its 50th, 90th and 99th percentile, how many runs
    are done per second by all clones together, and the most memory that the process had.  Each clone
    does its own --warmup and --runs.  Inputs as for `litebridge run`.
    """
    if runs is not None and seconds is not None:
        raise click.UsageError("--runs and --seconds: give one of them")
    config = model_config(model, params, passes=passes, threads=threads, **on.settings)
    start = time.perf_counter()
    program = load_program(config)
    loaded = time.perf_counter()
    predictor = Predictor.of_program(program, config)
    optimized = time.perf_counter()
    feeds, lods = feed.arrays(predictor), feed.levels
    first = time.perf_counter()
    predictor.run(feeds, lods=lods)
    first_ms = (time.perf_counter() - first) * 1e3
    predictors = [predictor, *(predictor.clone() for _ in range(clones - 1))]
    for each in predictors:
        for _ in range(warmup):
            each.run(feeds, lods=lods)
    with progress(100, "running") as advance:
        times, wall = time_runs(predictors, feeds, lods, Limit(runs or RUNS, seconds), _percent(advance))
    found = Bench(
        (loaded - start) * 1e3,
        (optimized - loaded) * 1e3,
        first_ms,
        threads,
        clones,
        warmup,
        len(times),
        latency(times),
        len(times) / wall,
        peak_memory(),
    )
    if as_json:
        print_json(found)
    else:
        _print(found)


def _percent(advance: Callable[[], None]) -> Callable[[float], None]:
    shown = 0

    def show(share: float) -> None:
        nonlocal shown
        while shown < int(share * 100):
            advance()
            shown += 1

    return show


def _print(found: Bench) -> None:
    times = found.latency
    print_facts(
        {
            "load": f"{found.load_ms:.3f} ms",
            "optimise": f"{found.optimize_ms:.3f} ms",
            "first run": f"{found.first_ms:.3f} ms",
            "runs": f"{found.runs} ({found.clones} at the same time, {found.threads} threads each)",
            "min": f"{times.min_ms:.3f} ms",
            "mean": f"{times.mean_ms:.3f} ms",
            "p50": f"{times.p50_ms:.3f} ms",
            "p90": f"{times.p90_ms:.3f} ms",
            "p99": f"{times.p99_ms:.3f} ms",
            "max": f"{times.max_ms:.3f} ms",
            "runs per second": f"{found.runs_per_second:.1f}",
            "peak memory": None if found.peak_bytes is None else f"{found.peak_bytes / 1e6:.1f} MB",
        }
    )
