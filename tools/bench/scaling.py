"""Measures how parsing, optimising and planning scale; writes docs/benchmarks/scaling.md.

python -m lite.tools.bench.scaling --out docs/benchmarks/scaling.md
"""

from __future__ import annotations

import platform
import tempfile
import time
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.session.predictor import Predictor
from lite.tools.bench.processor import processor
from lite.tools.bench.synthetic import FORMS
from lite.tools.options.output import page_option, print_or_write

SIZES = (1_000, 10_000)
RUNS = 3


@dataclass(frozen=True)
class Row:
    """Seconds of each stage for one program."""

    form: str
    ops: int
    parse: float
    optimise: float
    plan: float
    """The time to bind the plan to shapes: inference, buffers, kernels."""

    @property
    def total(self) -> float:
        """The time of all stages."""
        return self.parse + self.optimise + self.plan


def measure(form: str, ops: int) -> Row:
    """Build and save a program, and time each stage up to the first run."""
    program = FORMS[form](ops)
    with tempfile.TemporaryDirectory() as folder:
        lite.save_program(program, folder)
        config = lite.Config(folder)
        start = time.perf_counter()
        loaded = lite.load_program(config)
        parsed = time.perf_counter()
        predictor = Predictor.of_program(loaded, config)
        optimised = time.perf_counter()
        predictor.prepare({"x": (2, 8)})
        planned = time.perf_counter()
        outputs = predictor.run([np.ones((2, 8), np.float32)])
    if not all(np.isfinite(array).all() for array in outputs.values()):
        raise click.ClickException(f"{form} of {ops} ops gave a result that is not finite")
    return Row(form, ops, parsed - start, optimised - parsed, planned - optimised)


def markdown(rows: list[Row]) -> str:
    """The page: a table of the times and their growth from size to size."""
    lines = [
        "# Time by number of ops",
        "",
        f"Seconds on {processor()}, Python {platform.python_version()}, numpy {np.__version__};",
        f"the best of {RUNS} runs.  `plan` is the time to bind the plan: inference, buffers, kernels.",
        "Written by `python -m lite.tools.bench.scaling --out docs/benchmarks/scaling.md`.",
        "",
        "| program | ops | parse | optimise | plan | total | growth |",
        "|---|---|---|---|---|---|---|",
    ]
    before: dict[str, Row] = {}
    for row in rows:
        last = before.get(row.form)
        growth = f"{row.total / last.total:.1f} × for {row.ops // last.ops} × the ops" if last else ""
        lines.append(
            f"| {row.form} | {row.ops} | {row.parse:.2f} | {row.optimise:.2f} | {row.plan:.2f} "
            f"| {row.total:.2f} | {growth} |"
        )
        before[row.form] = row
    return "\n".join(lines) + "\n"


@click.command()
@page_option
def main(out: Path | None) -> None:
    """Time parse, optimise and plan of synthetic programs of 1 000 and 10 000 ops."""
    measure("chain", 100)  # the time of imports and first compilations does not count
    rows = [
        min((measure(form, ops) for _ in range(RUNS)), key=lambda row: row.total)
        for form in FORMS
        for ops in SIZES
    ]
    print_or_write(markdown(rows), out)


if __name__ == "__main__":
    main()
