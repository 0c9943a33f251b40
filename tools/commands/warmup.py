"""litebridge warmup: compiles kernels before the first run needs them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import click

from lite.dataclass import dataclass
from lite.plugin.kernel.aot import AOT
from lite.plugin.loader import load_aot
from lite.session.predictor import create_predictor
from lite.tools.analysis.kernels_of_run import compile_kernels
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_config, params_option
from lite.tools.options.output import debug_option, json_option
from lite.tools.terminal import print_json, print_table, progress, working


@dataclass(frozen=True)
class WarmupRow:
    """A step for a target or for the model; `was_new` is False if its result was already kept."""

    target: str
    step: str
    was_new: bool
    seconds: float


@dataclass(frozen=True)
class Warmup:
    """The steps, the folder of the results by target, and the reason for each target that was left out."""

    steps: list[WarmupRow]
    folders: dict[str, str]
    left_out: dict[str, str]


@click.command(short_help="Compile kernels before the first run.")
@click.argument("model", type=click.Path(path_type=Path), required=False)
@params_option
@feed_options
@json_option
@debug_option
def warmup(model: Path | None, params: Path | None, feed: FeedOptions, as_json: bool) -> None:
    """Compile the kernels for this machine, so that no run waits for the compiler.

    \b
    Examples:
      litebridge warmup
      litebridge warmup --json
      litebridge warmup model_dir --shape x=2,4

    numba (the extra `jit`) compiles a kernel of the target cpu when a run first needs it, and stores it for
    later processes.  Run this command once after the installation.  The environment variable
    LITEBRIDGE_KERNEL_CACHE names the folder of the compiled kernels.

    With MODEL, the command also compiles the fused elementwise ops of the model for inputs of these
    shapes, except those in loops and branches.
    """
    load_aot()
    plans = {target: AOT.get(target)() for target in AOT}
    steps = [(target, step) for target, plan in plans.items() for step in plan.steps]
    rows: list[WarmupRow] = []
    with progress(len(steps), "compiling") as advance:
        for target, step in steps:
            start = time.perf_counter()
            was_new = step.run()
            rows.append(WarmupRow(target, step.name, was_new, time.perf_counter() - start))
            advance()
    folders = {target: plan.folder for target, plan in plans.items() if plan.folder}
    if model is not None:
        rows.append(_prepare(model, params, feed, folders.values()))
    result = Warmup(
        rows,
        folders,
        {target: plan.why_not for target, plan in plans.items() if plan.why_not},
    )
    if as_json:
        print_json(result)
        return
    new = [(row.target, row.step, round(row.seconds, 3)) for row in rows if row.was_new]
    if new:
        print_table(("target", "compiled now", "seconds"), new)
    click.echo(f"{len(new)} of {len(rows)} kernels and models were compiled; the others had been before")
    for target, folder in result.folders.items():
        click.echo(f"the kernels of {target} are in {folder}")
    for target, reason in result.left_out.items():
        click.echo(f"target {target} is left out: {reason}")


def _prepare(model: Path, params: Path | None, feed: FeedOptions, folders: Iterable[str]) -> WarmupRow:
    """Bind a model, which compiles its fused ops; the step was new if it added files."""
    start, before = time.perf_counter(), _files(folders)
    with working("loading and optimising"):
        predictor = create_predictor(model_config(model, params))
    feeds = feed.arrays(predictor)
    compile_kernels(predictor, feeds)
    with working("preparing"):
        predictor.prepare({name: array.shape for name, array in feeds.items()})
    return WarmupRow("model", model.name, _files(folders) != before, time.perf_counter() - start)


def _files(folders: Iterable[str]) -> set[Path]:
    return {path for folder in folders for path in Path(folder).glob("*")}
