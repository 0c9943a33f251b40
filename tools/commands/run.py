"""litebridge run: runs a model once or several times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from lite.dataclass import dataclass
from lite.errors import InputError, suggest
from lite.ir.types import Array, DType, shape_text
from lite.session.predictor import Predictor, create_predictor
from lite.tools.analysis.kernels_of_run import KernelsOfRun, kernels_of_run
from lite.tools.analysis.places_of_run import PlaceOfRun, places_of_run, places_text
from lite.tools.analysis.stopwatch import Lods
from lite.tools.arrays.comparison import Comparison, Reference, compare, read_reference
from lite.tools.arrays.files import write_arrays
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.passes import passes_option
from lite.tools.options.runs import threads_option, tolerance_of, tolerance_option
from lite.tools.options.values import count_option
from lite.tools.terminal import print_facts, print_json, print_table, progress, working


@dataclass(frozen=True)
class ResultRow:
    """An output or kept variable, with the min, max and mean of its elements (None if it has no numbers)."""

    name: str
    dtype: DType
    shape: Sequence[int]
    min: float | None
    max: float | None
    mean: float | None


@dataclass(frozen=True)
class Timing:
    """Milliseconds to create the predictor, of the first run, and the median of later runs, or None."""

    load_ms: float
    first_ms: float
    steady_ms: float | None
    runs: int


@click.command(short_help="Run MODEL and show its outputs and times.")
@model_argument
@feed_options
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE.npz",
    help="Write the outputs: to a folder with an .npy file per output, or to one .npz file.",
)
@count_option("--repeat", "Run N times.", default=1)
@threads_option
@passes_option
@device_options
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="Keep this variable of the main block in all passes, and show it like an output.",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    metavar="FILE.npz",
    help="A file with arrays in:NAME, to use as inputs, and out:NAME, to compare the outputs with.",
)
@tolerance_option
@json_option
@debug_option
def run(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    output: Path | None,
    repeat: int,
    threads: int,
    passes: list[str] | None,
    on: DeviceOptions,
    keep: tuple[str, ...],
    reference: Path | None,
    tolerance: float | None,
    as_json: bool,
) -> None:
    """Run MODEL, show its outputs and times, and compare the outputs with recorded ones.

    \b
    Examples:
      litebridge run model_dir --shape x=2,4
      litebridge run model_dir --input x=x.npy --output results.npz
      litebridge run model_dir --shape x=1,4 --input x=ones --repeat 20
      litebridge run model_dir --reference reference.npz --tolerance 1e-4

    An input without --input is the one of --reference, or else random: floats with a standard normal
    distribution, integers 0 or 1.  A random input needs --shape if the model leaves its size open.

    Shows each output with its smallest, largest and mean element; the time to load and optimise the model;
    the time of the first run, which binds the plan to the shapes; and with --repeat the median of later
    runs, where the ops ran, and with which kernels: while those of this machine are being compiled in the
    background, the host's answer (see `litebridge warmup`).  With --reference, shows the relative error of
    each output.  The exit status is 3 if an error is above --tolerance, or if a shape or dtype differs.
    """
    recorded = Reference({}, {}) if reference is None else read_reference(reference)
    start = time.perf_counter()
    config = model_config(
        model, params, passes=passes, threads=threads, keep=keep, compilation="auto", **on.settings
    )
    with working("loading and optimising"):
        predictor = create_predictor(config)
    load_ms = (time.perf_counter() - start) * 1e3
    feeds = feed.arrays(predictor, recorded.inputs)
    timing = _run_and_time(predictor, feeds, feed.levels, repeat, load_ms)
    results = {name: predictor.get(name) for name in dict.fromkeys((*predictor.output_names, *keep))}
    comparisons = _compare(results, recorded.outputs, tolerance_of(tolerance, on.settings["devices"]))
    written = [] if output is None else write_arrays(results, output)
    rows = [summary(name, array) for name, array in results.items()]
    where, kernels = places_of_run(predictor.report()), kernels_of_run(predictor)
    if as_json:
        print_json(
            {
                "outputs": rows,
                "timing": timing,
                "places": where,
                "kernels": kernels,
                "comparisons": comparisons,
                "written": written,
            }
        )
    else:
        _print(rows, timing, where, kernels, comparisons, written)
    if any(comparison.problem for comparison in comparisons):
        click.get_current_context().exit(ANSWER_IS_NO)


def summary(name: str, array: Array) -> ResultRow:
    """The row of an output."""
    dtype = DType.from_numpy(array.dtype)
    numbers = dtype.is_float or dtype.is_integer or dtype is DType.BOOL
    if not numbers or array.size == 0:
        return ResultRow(name, dtype, array.shape, None, None, None)
    wide = array.astype("float64")
    return ResultRow(name, dtype, array.shape, float(wide.min()), float(wide.max()), float(wide.mean()))


def _run_and_time(
    predictor: Predictor,
    feeds: Mapping[str, Array],
    lods: Lods,
    runs: int,
    load_ms: float,
) -> Timing:
    times: list[float] = []
    with progress(runs, "running") as advance:
        for _ in range(runs):
            start = time.perf_counter()
            predictor.run(feeds, lods=lods)
            times.append((time.perf_counter() - start) * 1e3)
            advance()
    return Timing(load_ms, times[0], statistics.median(times[1:]) if times[1:] else None, runs)


def _compare(
    results: Mapping[str, Array], expected: Mapping[str, Array], tolerance: float
) -> list[Comparison]:
    for name in expected:
        if name not in results:
            raise InputError(
                f"the reference has an output {name!r}, which the model lacks{suggest(name, results)}; "
                f"the model's outputs: {', '.join(results)}"
            )
    return [compare(name, results[name], array, tolerance) for name, array in expected.items()]


def _print(
    rows: Sequence[ResultRow],
    timing: Timing,
    where: Sequence[PlaceOfRun],
    kernels: KernelsOfRun,
    comparisons: Sequence[Comparison],
    written: Sequence[Path],
) -> None:
    print_table(
        ("name", "dtype", "shape", "min", "max", "mean"),
        [(row.name, row.dtype, shape_text(row.shape), row.min, row.max, row.mean) for row in rows],
        "outputs",
        drop=("mean", "dtype"),
    )
    click.echo()
    facts = {"load": f"{timing.load_ms:.3f} ms", "first run": f"{timing.first_ms:.3f} ms"}
    if timing.steady_ms is not None:
        facts["steady"] = f"{timing.steady_ms:.3f} ms (median of {timing.runs - 1})"
    print_facts({**facts, "ran on": places_text(where), "kernels": kernels.text()})
    if comparisons:
        print_table(
            ("name", "relative error", "verdict"),
            [(each.name, each.error, each.verdict) for each in comparisons],
            "\ncompared with the reference",
        )
    for path in written:
        click.echo(f"wrote {path}")
