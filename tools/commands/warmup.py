"""litebridge warmup: do ahead what the first runs would wait for."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from lite.plugin.kernel.aot import AOT
from lite.plugin.loader import load_aot
from lite.session.predictor import create_predictor
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_config, params_option
from lite.tools.terminal import print_json, print_table, progress


@dataclass(frozen=True)
class WarmupRow:
    """A step for a target, or for the model; `was_new` tells whether there was anything to do."""

    target: str
    step: str
    was_new: bool
    seconds: float


@dataclass(frozen=True)
class Warmup:
    """What was done, where it is kept by target, and which targets cannot be used here, with the reason."""

    steps: list[WarmupRow]
    folders: dict[str, str]
    left_out: dict[str, str]


@click.command()
@click.argument("model", type=click.Path(path_type=Path), required=False)
@params_option
@feed_options
@json_option
@debug_option
def warmup(model: Path | None, params: Path | None, feed: FeedOptions, as_json: bool) -> None:
    """Compile the kernels of this machine, so that no run has to wait for it.

    \b
    Examples:
      litebridge warmup
      litebridge warmup --json
      litebridge warmup model_dir --shape x=2,4

    Kernels for the target cpu are compiled by numba (extra jit) when they are needed first, and kept
    for later processes.  Run this when you install; a second time there is nothing to do.  The
    environment variable LITEBRIDGE_KERNEL_CACHE names the folder where they are kept.

    With MODEL, what is compiled for its chains of elementwise ops, too, for inputs of these shapes;
    those in loops and branches are left to their first run.
    """
    load_aot()
    found = {target: AOT.get(target)() for target in AOT}
    steps = [(target, step) for target, todo in found.items() for step in todo.steps]
    rows: list[WarmupRow] = []
    with progress(len(steps), "compiling") as advance:
        for target, step in steps:
            start = time.perf_counter()
            was_new = step.run()
            rows.append(WarmupRow(target, step.name, was_new, time.perf_counter() - start))
            advance()
    folders = {target: todo.folder for target, todo in found.items() if todo.folder}
    if model is not None:
        rows.append(_prepare(model, params, feed, folders.values()))
    result = Warmup(
        rows,
        folders,
        {target: todo.why_not for target, todo in found.items() if todo.why_not},
    )
    if as_json:
        print_json(result)
        return
    print_table(
        ("target", "kernel", "compiled now", "seconds"),
        [(row.target, row.step, row.was_new, round(row.seconds, 3)) for row in rows],
    )
    for target, folder in result.folders.items():
        click.echo(f"kernels of {target} are kept in {folder}")
    for target, reason in result.left_out.items():
        click.echo(f"target {target} is left out: {reason}")


def _prepare(model: Path, params: Path | None, feed: FeedOptions, folders: Iterable[str]) -> WarmupRow:
    """Bind a model, which compiles what only it needs; something was new where there are more files."""
    start, before = time.perf_counter(), _kept(folders)
    predictor = create_predictor(model_config(model, params))
    predictor.prepare({name: array.shape for name, array in feed.arrays(predictor).items()})
    return WarmupRow("model", model.name, _kept(folders) != before, time.perf_counter() - start)


def _kept(folders: Iterable[str]) -> set[Path]:
    return {path for folder in folders for path in Path(folder).glob("*")}
