"""python -m lite.tools.fuzz: draw graphs for a number of seeds or minutes, and report every failure."""

from __future__ import annotations

import collections
import itertools
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import click

from lite.tools.fuzz.draw import ROWS
from lite.tools.fuzz.worker import DRAWN, SEED

CHUNK = 250
"""Seeds that one process checks before a new one takes over."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--first", default=0, show_default=True, help="First seed.")
@click.option("--count", default=1000, show_default=True, help="How many seeds.")
@click.option("--minutes", type=float, help="Stop after so many minutes, even before COUNT seeds.")
@click.option("--workers", default=1, show_default=True, help="Processes.")
@click.option(
    "--more", default=1, show_default=True, help="Random configurations besides host and cpu; -1: all."
)
@click.option("--row", "rows", multiple=True, help="Small graphs of this row only; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("fuzz_failures"), show_default=True)
def main(
    first: int,
    count: int,
    minutes: float | None,
    workers: int,
    more: int,
    rows: tuple[str, ...],
    out: Path,
) -> None:
    """Compare random graphs with ONNX Runtime, in many configurations of the engine.

    Each class of failures is written to OUT once, with the smallest model found.  Exit status 1 when
    there is any.
    """
    unknown = [row for row in rows if row not in ROWS]
    if unknown:
        raise click.BadParameter(f"no row is called {unknown[0]!r}; the rows are {', '.join(sorted(ROWS))}")
    out.mkdir(parents=True, exist_ok=True)
    lines: queue.Queue[str | None] = queue.Queue()
    chunks = itertools.chain(range(first, first + count, CHUNK))
    lock, end = threading.Lock(), time.time() + 60 * (minutes or 10**9)

    def work() -> None:
        while time.time() < end:
            with lock:
                start = next(chunks, None)
            if start is None:
                break
            _run_chunk(start, min(start + CHUNK, first + count), more, rows, out, lines)
        lines.put(None)

    for _ in range(workers):
        threading.Thread(target=work, daemon=True).start()
    totals = _print_lines(lines, workers, count)
    raise SystemExit(1 if set(totals) - {"graphs"} else 0)


def _run_chunk(
    start: int, stop: int, more: int, rows: Sequence[str], out: Path, lines: queue.Queue[str | None]
) -> None:
    """Check seeds in a process of their own; a crash costs only the seed that it happened at."""
    while start < stop:
        arguments = [str(start), str(stop), str(more), str(out), *rows]
        command = [sys.executable, "-m", "lite.tools.fuzz.worker", *arguments]
        seed, is_drawn = start, False
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                is_drawn = line.startswith(DRAWN)
                if is_drawn:
                    continue
                lines.put(line.rstrip())
                if line.startswith(SEED):
                    seed = int(line.removeprefix(SEED))
            problem = process.stderr.read()
        if process.returncode == 0:
            return
        if is_drawn or process.returncode > 0:
            lines.put(f"died seed {seed}: exit {process.returncode}: {problem.strip()[-400:]}")
        start = seed + 1


def _print_lines(lines: queue.Queue[str | None], workers: int, count: int) -> collections.Counter[str]:
    totals: collections.Counter[str] = collections.Counter()
    started = time.time()
    with click.progressbar(length=count, label="graphs") as bar:
        while workers:
            line = lines.get()
            if line is None:
                workers -= 1
            elif line.startswith(SEED):
                totals["graphs"] += 1
                bar.update(1)
            else:
                totals[line.split(" ", 1)[0]] += 1
                click.echo(f"\n{line}" if sys.stdout.isatty() else line)
    click.echo(f"{dict(totals)} in {time.time() - started:.0f} s")
    return totals


if __name__ == "__main__":
    main()
