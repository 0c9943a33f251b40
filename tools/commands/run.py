"""litebridge run: run a model once or many times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from lite.errors import InputError, suggest
from lite.ir.types import Array, DType, shape_text
from lite.session.predictor import Predictor, create_predictor
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.reference import Comparison, Reference, compare, read_reference
from lite.tools.result_files import write_results
from lite.tools.terminal import print_facts, print_json, print_table, progress

DIFFERS = 3
"""Exit status when an output is not the recorded one."""

TOLERANCE = 1e-3


@dataclass(frozen=True)
class ResultRow:
    """One output or kept variable; min, max and mean of its elements, None where it has no numbers."""

    name: str
    dtype: DType
    shape: Sequence[int]
    min: float | None
    max: float | None
    mean: float | None


@dataclass(frozen=True)
class Timing:
    """Milliseconds: making the predictor, the first run, the median of the others (None without any)."""

    load_ms: float
    first_ms: float
    steady_ms: float | None
    runs: int


@click.command(short_help="Run MODEL: outputs, times, comparison.")
@model_argument
@feed_options
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE.npz",
    help="Write what came out: a directory with an .npy file each, or one .npz file.",
)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="How many times to run."
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Most cores that a run uses."
)
@passes_option
@device_options
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="Also show this variable of the main block, in spite of all passes.",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    metavar="FILE.npz",
    help="Arrays in:NAME to feed and out:NAME to compare with.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=TOLERANCE,
    show_default=True,
    help="Largest max|a-b| / max|b| of a float output; integers must be equal.",
)
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
    tolerance: float,
    as_json: bool,
) -> None:
    """Run MODEL, show its outputs, time it, and compare it with recorded results.

    \b
    Examples:
      litebridge run model_dir --shape x=2,4
      litebridge run model_dir --input x=x.npy --output results.npz
      litebridge run model_dir --shape x=1,4 --input x=ones --repeat 20 --threads 2
      litebridge run model_dir --reference reference.npz --tolerance 1e-4

    Inputs that no option names come from the reference, else they are random: floats standard
    normal, whole numbers 0 or 1.  Sizes that the model leaves open must be said with --shape.

    Shows each output with the smallest, largest and mean element, the time to load and optimise
    the model, of the first run (which plans for these shapes) and, with --repeat, the median of
    the others.  --reference adds the largest relative error of each output; the exit status is 3
    when one is above --tolerance or has another shape or dtype.
    """
    recorded = Reference({}, {}) if reference is None else read_reference(reference)
    start = time.perf_counter()
    predictor = create_predictor(
        model_config(model, params, passes=passes, threads=threads, keep=keep, **on.settings)
    )
    load_ms = (time.perf_counter() - start) * 1e3
    feeds = feed.arrays(predictor, recorded.inputs)
    timing = _run_and_time(predictor, feeds, feed.levels, repeat, load_ms)
    results = {name: predictor.get(name) for name in dict.fromkeys((*predictor.output_names, *keep))}
    comparisons = _compare(results, recorded.outputs, tolerance)
    written = [] if output is None else write_results(results, output)
    rows = [summary(name, array) for name, array in results.items()]
    if as_json:
        print_json({"outputs": rows, "timing": timing, "comparisons": comparisons, "written": written})
    else:
        _print(rows, timing, comparisons, written)
    if any(comparison.problem for comparison in comparisons):
        click.get_current_context().exit(DIFFERS)


def summary(name: str, array: Array) -> ResultRow:
    """Name, dtype, shape and the range of an array's elements."""
    dtype = DType.from_numpy(array.dtype)
    numbers = dtype.is_float or dtype.is_integer or dtype is DType.BOOL
    if not numbers or array.size == 0:
        return ResultRow(name, dtype, array.shape, None, None, None)
    wide = array.astype("float64")
    return ResultRow(name, dtype, array.shape, float(wide.min()), float(wide.max()), float(wide.mean()))


def _run_and_time(
    predictor: Predictor,
    feeds: Mapping[str, Array],
    lods: Mapping[str, list[tuple[int, ...]]],
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
                f"the reference has an output {name!r}, the model has not{suggest(name, results)}; "
                f"its outputs: {', '.join(results)}"
            )
    return [compare(name, results[name], array, tolerance) for name, array in expected.items()]


def _print(
    rows: Sequence[ResultRow], timing: Timing, comparisons: Sequence[Comparison], written: Sequence[Path]
) -> None:
    print_table(
        ("name", "dtype", "shape", "min", "max", "mean"),
        [(row.name, row.dtype, shape_text(row.shape), row.min, row.max, row.mean) for row in rows],
        "outputs",
    )
    click.echo()
    facts = {"load": f"{timing.load_ms:.3f} ms", "first run": f"{timing.first_ms:.3f} ms"}
    if timing.steady_ms is not None:
        facts["steady"] = f"{timing.steady_ms:.3f} ms (median of {timing.runs - 1})"
    print_facts(facts)
    if comparisons:
        print_table(
            ("name", "relative error", "verdict"),
            [(each.name, each.error, each.problem or "equal") for each in comparisons],
            "\ncompared with the reference",
        )
    for path in written:
        click.echo(f"wrote {path}")
