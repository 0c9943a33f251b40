"""What a run costs beside its kernels: per instruction and per run; writes docs/benchmarks/dispatch.md.

python -m lite.tools.bench.dispatch --out docs/benchmarks/dispatch.md
"""

from __future__ import annotations

import functools
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.program import Op, Program, Weight
from lite.ir.types import Array, Place
from lite.plugin.kernel import kernel, unregister
from lite.session.predictor import Predictor
from lite.tools.bench.synthetic import add_op, declare, empty, finish

TARGET = "no_op"
LENGTHS = (1, 1_000)
"""The cost per instruction is the difference of the two, divided; the rest is the cost per run."""

REPEATS = 15
CALLS = 2_000
"""Instructions of a repetition, in runs of the shorter chain one each."""

GOAL = 2.0
"""Most microseconds that an instruction may cost."""

SHAPE = (2, 8)


@dataclass(frozen=True)
class Row:
    """Microseconds of a kind of instruction: each, and of a run without instructions."""

    kind: str
    how: str
    instruction: float
    run: float


@contextmanager
def no_op_kernels() -> Iterator[None]:
    """While entered, relu (one input, one output) and layer_norm (three, two) do nothing on `TARGET`."""

    @kernel("relu", TARGET)
    def relu(X: Array, *, out: Array | None = None) -> Array | None:  # noqa: ARG001, N803
        return out

    @kernel("layer_norm", TARGET)
    def layer_norm(
        X: Array,  # noqa: ARG001, N803
        Scale: Array,  # noqa: ARG001, N803
        Bias: Array,  # noqa: ARG001, N803
        *,
        out: tuple[Array | None, ...] | None = None,
    ) -> tuple[Array | None, ...] | None:
        return out

    try:
        yield
    finally:
        for op in ("relu", "layer_norm"):
            unregister(op, Place(TARGET))


def chain_of_relu(length: int) -> Program:
    """So many instructions with one input and one output, each behind the other."""
    program = empty()
    for number in range(length):
        add_op(program, "relu", {"X": [f"v{number}" if number else "x"]}, f"v{number + 1}", {})
    return finish(program, [f"v{length}"])


def chain_of_layer_norm(length: int) -> Program:
    """So many instructions with three inputs and two outputs, each behind the other."""
    program = empty()
    for name in ("scale", "bias"):
        program.weights[name] = Weight(np.ones(SHAPE[1], np.float32))
        declare(program, name, persistable=True, shape=SHAPE[1:])
    for number in range(length):
        out, mean = f"v{number + 1}", f"mean{number + 1}"
        declare(program, out)
        declare(program, mean, shape=(-1,))
        inputs = {"X": [f"v{number}" if number else "x"], "Scale": ["scale"], "Bias": ["bias"]}
        program.blocks[0].ops.append(Op("layer_norm", inputs, {"Y": [out], "Mean": [mean]}, {}))
    return finish(program, [f"v{length}"])


CHAINS: Mapping[str, Callable[[int], Program]] = {
    "1 input, 1 output": chain_of_relu,
    "3 inputs, 2 outputs": chain_of_layer_norm,
}


def predictor_of(program: Program) -> Predictor:
    """Nothing is done to the program but what has to be."""
    with tempfile.TemporaryDirectory() as folder:
        lite.save_program(program, folder)
        return lite.create_predictor(lite.Config(folder, passes=[], valid_places=[TARGET]))


def measure(kind: str) -> list[Row]:
    """A kind of instruction in plain runs, in runs into given outputs, and with the profiler's clock."""
    feed = {"x": np.ones(SHAPE, np.float32)}
    found: dict[str, list[float]] = {}
    for length in LENGTHS:
        predictor = predictor_of(CHAINS[kind](length))
        calls = max(CALLS // length, 1)
        outputs = {name: np.empty_like(array) for name, array in predictor.run(feed).items()}
        ways = {
            "run": functools.partial(predictor.run, feed),
            "run into given outputs": functools.partial(predictor.run, feed, outputs),
        }
        for how, way in ways.items():
            found.setdefault(how, []).append(_microseconds(way, calls))
        profiles = [predictor.profile(feed, runs=calls, warmup=2) for _ in range(REPEATS)]
        walls = [(run.stop - run.start) / 1e3 for profile in profiles for run in profile.runs]
        found.setdefault("profile", []).append(statistics.median(walls))
    rows = []
    for how, (short, long) in found.items():
        each = (long - short) / (LENGTHS[1] - LENGTHS[0])
        rows.append(Row(kind, how, each, short - each * LENGTHS[0]))
    return rows


def _microseconds(way: Callable[[], object], calls: int) -> float:
    """The median over repetitions of the mean of a repetition's calls."""
    way()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            way()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(times)


def markdown(rows: Sequence[Row]) -> str:
    """The table."""
    lines = [
        "# What a run costs beside its kernels",
        "",
        f"Microseconds on {platform.machine()}, Python {platform.python_version()}, numpy {np.__version__};",
        f"medians of {REPEATS} repetitions.  Chains of {LENGTHS[0]} and {LENGTHS[1]} instructions",
        f"whose kernels do nothing; the goal is less than {GOAL:.0f} per instruction.  The cost per run is",
        "everything around the instructions: checks of the inputs, BLAS's number of threads, the results.",
        "A profiled run is the runtime's alone, with its clock around each instruction.",
        "Made by `python -m lite.tools.bench.dispatch --out docs/benchmarks/dispatch.md`.",
        "",
        "| instruction | how | per instruction | per run |",
        "|---|---|---|---|",
        *(f"| {row.kind} | {row.how} | {row.instruction:.2f} | {row.run:.1f} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="File for the table; printed otherwise.")
def main(out: Path | None) -> None:
    """Time chains of kernels that do nothing."""
    with no_op_kernels():
        rows = [row for kind in CHAINS for row in measure(kind)]
    text = markdown(rows)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text, encoding="utf-8")
        click.echo(f"wrote {out}")
    slow = [row for row in rows if row.how != "profile" and row.instruction > GOAL]
    if slow:
        raise click.ClickException(f"{len(slow)} rows are above {GOAL} microseconds per instruction")


if __name__ == "__main__":
    main()
