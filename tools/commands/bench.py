"""litebridge bench: measures the speed of a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from lite.dataclass import dataclass
from lite.io.load import load_program
from lite.session.predictor import Predictor
from lite.tools.analysis.kernels_of_run import KernelsOfRun, compile_kernels, kernels_of_run
from lite.tools.analysis.places_of_run import PlaceOfRun, places_of_run, places_text
from lite.tools.analysis.stopwatch import Latency, Limit, latency, peak_memory, time_runs
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import passes_option
from lite.tools.options.runs import threads_option
from lite.tools.options.values import count_option
from lite.tools.terminal import print_facts, print_json, progress, working

RUNS = 50


@dataclass(frozen=True)
class Bench:
    """The measured times and memory.

    Milliseconds to read the model, to optimise it, and of the first run, which binds the plan to the
    shapes.  `latency` and `runs_per_second` are of the runs of all clones.  `peak_bytes` is the memory of
    the process, None on a system that does not report it.  `compiled` kernels were compiled before.
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
    places: Sequence[PlaceOfRun]
    kernels: KernelsOfRun
    compiled: int


@click.command(short_help="Measure the speed of MODEL.")
@model_argument
@feed_options
@count_option("--warmup", "Start with N runs that do not count.", default=3, minimum=0)
@count_option("--runs", f"Time N runs.  [default: {RUNS}]")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Time runs for X seconds, instead of --runs.",
)
@threads_option
@count_option("--clones", "Run N clones at the same time, each in its own thread.", default=1)
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
    """Time MODEL: loading, optimising, the first run, and later runs.

    \b
    Examples:
      litebridge bench model_dir --shape x=2,4
      litebridge bench model_dir --shape x=2,4 --seconds 0.5 --threads 2
      litebridge bench model_dir --input x=x.npy --runs 100 --clones 4 --json

    Shows the minimum, mean and maximum time of a run, the 50th, 90th and 99th percentile, the number of
    runs of all clones per second, where the ops ran, and the largest memory of the process.  Each clone does
    its own --warmup and --runs.  Kernels that this machine lacks are compiled first.  A device that is not
    there is an error.  Inputs without --input are random; give --shape for open sizes.
    """
    if runs is not None and seconds is not None:
        raise click.UsageError("give either --runs or --seconds, not both")
    on.check_present()
    config = model_config(model, params, passes=passes, threads=threads, **on.settings)
    with working("loading and optimising"):
        start = time.perf_counter()
        program = load_program(config)
        loaded = time.perf_counter()
        predictor = Predictor.of_program(program, config)
        optimized = time.perf_counter()
    feeds, lods = feed.arrays(predictor), feed.levels
    compiled = compile_kernels(predictor, feeds)
    with working("the first run"):
        first = time.perf_counter()
        predictor.run(feeds, lods=lods)
        first_ms = (time.perf_counter() - first) * 1e3
    predictors = [predictor, *(predictor.clone() for _ in range(clones - 1))]
    with working("warming up"):
        for each in predictors:
            for _ in range(warmup):
                each.run(feeds, lods=lods)
    with progress(100, "running") as advance:
        times, wall = time_runs(predictors, feeds, lods, Limit(runs or RUNS, seconds), _percent(advance))
    result = Bench(
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
        places_of_run(predictor.report()),
        kernels_of_run(predictor),
        compiled,
    )
    if as_json:
        print_json(result)
    else:
        _print(result)


def _percent(advance: Callable[[], None]) -> Callable[[float], None]:
    """A function of the progress, from 0 to 1, that calls `advance` once per percent."""
    shown = 0

    def show(fraction: float) -> None:
        nonlocal shown
        while shown < int(fraction * 100):
            advance()
            shown += 1

    return show


def _print(result: Bench) -> None:
    times = result.latency
    threads = f"{result.threads} thread{'s' * (result.threads != 1)}"
    print_facts(
        {
            "load": f"{result.load_ms:.3f} ms",
            "optimise": f"{result.optimize_ms:.3f} ms",
            "first run": f"{result.first_ms:.3f} ms",
            "runs": f"{result.runs} ({result.clones} at the same time, {threads} each)",
            "min": f"{times.min_ms:.3f} ms",
            "mean": f"{times.mean_ms:.3f} ms",
            "p50": f"{times.p50_ms:.3f} ms",
            "p90": f"{times.p90_ms:.3f} ms",
            "p99": f"{times.p99_ms:.3f} ms",
            "max": f"{times.max_ms:.3f} ms",
            "runs per second": f"{result.runs_per_second:.1f}",
            "ran on": places_text(result.places),
            "kernels": result.kernels.text()
            + (f", {result.compiled} compiled now" if result.compiled else ""),
            "peak memory": None if result.peak_bytes is None else f"{result.peak_bytes / 1e6:.1f} MB",
        }
    )
