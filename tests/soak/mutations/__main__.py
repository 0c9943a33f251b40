"""``python -m tests.soak.mutations --format X --count N``: damaged models are refused, or they run.

A model that ends its process, raises anything but a `LiteError`, takes 5 seconds of the processor or a
gigabyte is a failure.
"""

from __future__ import annotations

import collections
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from tests.soak.mutations.samples import FORMATS
from tests.soak.mutations.worker import FAILURE, GUARDED, RESULT, SEED

CHUNK = 2500
"""Models of one process."""

WALL_SECONDS = 120.0
"""Time without a line after which a process is killed."""


@click.command()
@click.option("--format", "kind", type=click.Choice(list(FORMATS)), required=True)
@click.option("--count", default=1000, show_default=True, help="Damaged models.")
@click.option("--first", default=0, show_default=True, help="First seed.")
@click.option("--minutes", type=float, help="Stop after so many minutes, even before COUNT models.")
@click.option("--out", type=click.Path(path_type=Path), help="Copy the files of failures into this folder.")
@click.option("--guard-pages", is_flag=True, help="Run kernels on arrays at the ends of guarded memory.")
def main(
    kind: str, count: int, first: int, minutes: float | None, out: Path | None, guard_pages: bool
) -> None:
    """Load and run damaged models of one format; exit status 1 for failures."""
    totals: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    start, done, seed = time.monotonic(), 0, first
    while seed < first + count and (minutes is None or time.monotonic() - start < 60 * minutes):
        last = min(seed + CHUNK, first + count)
        options = [*([] if out is None else [str(out)]), *([GUARDED] if guard_pages else [])]
        reached, problem = _run(kind, seed, last, options, totals, failures)
        if problem:
            failures.append(f"seed {reached}: {problem}")
        done += reached + 1 - seed
        seed = reached + 1
        click.echo(f"{kind}: {done} models, {dict(totals)}, {len(failures)} failures")
    for failure in failures[:50]:
        click.echo(failure)
    sys.exit(1 if failures else 0)


def _run(
    kind: str,
    seed: int,
    last: int,
    options: Sequence[str],
    totals: collections.Counter[str],
    failures: list[str],
) -> tuple[int, str]:
    """Check seeds in a process; the last one that it came to, and how it ended if that was too early."""
    command = [sys.executable, "-m", "tests.soak.mutations.worker", kind, str(seed), str(last), *options]
    reached = seed
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.startswith(SEED):
                reached = int(line.removeprefix(SEED))
                continue
            for result in line.removeprefix(RESULT).strip().split("; "):
                if result.startswith(FAILURE):
                    failures.append(f"seed {reached}: {result.removeprefix(FAILURE)}")
                    totals["failure"] += 1
                else:
                    totals[result] += 1
        problem = process.stderr.read()
    if process.returncode == 0:
        return last - 1, ""
    return reached, f"the process ended with {process.returncode}: {problem[-300:]}"


if __name__ == "__main__":
    main()
