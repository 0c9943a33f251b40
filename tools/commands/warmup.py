"""litebridge warmup: do ahead what the first runs would wait for."""

from __future__ import annotations

import time
from dataclasses import dataclass

import click

from lite.plugin.ahead import AHEAD
from lite.plugin.loader import load_ahead
from lite.tools.parameters import debug_option, json_option
from lite.tools.terminal import print_json, print_table, progress


@dataclass(frozen=True)
class WarmupRow:
    """A step for a target; `was_new` tells whether there was anything to do."""

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
@json_option
@debug_option
def warmup(as_json: bool) -> None:
    """Compile the kernels of this machine, so that no run has to wait for it.

    \b
    Examples:
      litebridge warmup
      litebridge warmup --json

    Kernels for the target cpu are compiled by numba (extra jit) when they are needed first, and kept
    for later processes.  Run this when you install; a second time there is nothing to do.  The
    environment variable LITEBRIDGE_KERNEL_CACHE names the folder where they are kept.
    """
    load_ahead()
    found = {target: AHEAD.get(target)() for target in AHEAD}
    steps = [(target, step) for target, todo in found.items() for step in todo.steps]
    rows: list[WarmupRow] = []
    with progress(len(steps), "compiling") as advance:
        for target, step in steps:
            start = time.perf_counter()
            was_new = step.run()
            rows.append(WarmupRow(target, step.name, was_new, time.perf_counter() - start))
            advance()
    result = Warmup(
        rows,
        {target: todo.folder for target, todo in found.items() if todo.folder},
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
