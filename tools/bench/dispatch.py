"""Measures the overhead of a run, per instruction and per run; writes docs/benchmarks/dispatch.md.

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
from pathlib import Path

import click
import numpy as np

import lite
from lite.dataclass import dataclass
from lite.ir.program import Op, Program, Weight
from lite.ir.types import Array, Place
from lite.plugin.kernel import kernel, unregister
from lite.session.predictor import Predictor
from lite.tools.bench.processor import processor
from lite.tools.bench.synthetic import add_op, declare, empty, with_outputs
from lite.tools.options.output import page_option, print_or_write

TARGET = "no_op"
LENGTHS = (1, 1_000)
"""The cost per instruction is the slope between both lengths; the rest is the cost per run."""

REPEATS = 15
CALLS = 2_000
"""The number of instructions of a repetition; a run of the shorter chain has one."""

GOAL = 2.0
"""The largest cost of an instruction in microseconds."""

SHAPE = (2, 8)


@dataclass(frozen=True)
class Row:
    """Microseconds per instruction of one kind, and per run."""

    kind: str
    mode: str
    instruction: float
    run: float


@contextmanager
def no_op_kernels() -> Iterator[None]:
    """Register kernels on `TARGET` that do nothing: relu (1 input, 1 output) and layer_norm (3, 2)."""

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
    """A chain of `length` instructions with one input and one output each."""
    program = empty()
    for number in range(length):
        add_op(program, "relu", {"X": [f"v{number}" if number else "x"]}, f"v{number + 1}", {})
    return with_outputs(program, [f"v{length}"])


def chain_of_layer_norm(length: int) -> Program:
    """A chain of `length` instructions with three inputs and two outputs each."""
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
    return with_outputs(program, [f"v{length}"])


CHAINS: Mapping[str, Callable[[int], Program]] = {
    "1 input, 1 output": chain_of_relu,
    "3 inputs, 2 outputs": chain_of_layer_norm,
}


def predictor_of(program: Program) -> Predictor:
    """A predictor with the mandatory passes only."""
    with tempfile.TemporaryDirectory() as folder:
        lite.save_program(program, folder)
        return lite.create_predictor(lite.Config(folder, passes=[], valid_places=[TARGET]))


def measure(kind: str) -> list[Row]:
    """One kind of instruction in plain runs, in runs into output arrays, and in profiled runs."""
    feed = {"x": np.ones(SHAPE, np.float32)}
    times: dict[str, list[float]] = {}
    for length in LENGTHS:
        predictor = predictor_of(CHAINS[kind](length))
        calls = max(CALLS // length, 1)
        outputs = {name: np.empty_like(array) for name, array in predictor.run(feed).items()}
        modes = {
            "run": functools.partial(predictor.run, feed),
            "run into output arrays": functools.partial(predictor.run, feed, outputs),
        }
        for mode, call in modes.items():
            times.setdefault(mode, []).append(_microseconds(call, calls))
        profiles = [predictor.profile(feed, runs=calls, warmup=2) for _ in range(REPEATS)]
        walls = [(run.stop - run.start) / 1e3 for profile in profiles for run in profile.runs]
        times.setdefault("profile", []).append(statistics.median(walls))
    rows = []
    for mode, (short, long) in times.items():
        each = (long - short) / (LENGTHS[1] - LENGTHS[0])
        rows.append(Row(kind, mode, each, short - each * LENGTHS[0]))
    return rows


def _microseconds(call: Callable[[], object], calls: int) -> float:
    """The time of a call: the median of the means of repetitions."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(times)


def markdown(rows: Sequence[Row]) -> str:
    """The page."""
    lines = [
        "# The overhead of a run",
        "",
        f"Microseconds on {processor()}, Python {platform.python_version()}, numpy {np.__version__};",
        f"medians of {REPEATS} repetitions.  The programs are chains of {LENGTHS[0]} and {LENGTHS[1]}",
        f"instructions whose kernels do nothing; the goal is less than {GOAL:.0f} per instruction.  The cost",
        "per run is the time around the instructions: to check inputs, set the threads of BLAS and return",
        "results.  The time of a profiled run is that of the runtime alone, including its clock.",
        "Written by `python -m lite.tools.bench.dispatch --out docs/benchmarks/dispatch.md`.",
        "",
        "| instruction | mode | per instruction | per run |",
        "|---|---|---|---|",
        *(f"| {row.kind} | {row.mode} | {row.instruction:.2f} | {row.run:.1f} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@page_option
def main(out: Path | None) -> None:
    """Time chains of instructions whose kernels do nothing."""
    with no_op_kernels():
        rows = [row for kind in CHAINS for row in measure(kind)]
    print_or_write(markdown(rows), out)
    slow = [row for row in rows if row.mode != "profile" and row.instruction > GOAL]
    if slow:
        raise click.ClickException(f"{len(slow)} rows are above {GOAL} microseconds per instruction")


if __name__ == "__main__":
    main()
