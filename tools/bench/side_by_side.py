"""Measures a host and devices that run at the same time; writes docs/benchmarks/side_by_side.md.

python -m lite.tools.bench.side_by_side --out docs/benchmarks/side_by_side.md
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from lite.config import Config
from lite.ir.graph import Graph
from lite.ir.program import Program, Weight
from lite.ir.types import Array
from lite.plugin.device import DEVICES, CompiledModel, Device, Settings, Signature, device
from lite.plugin.loader import load_devices
from lite.session.predictor import Predictor
from lite.tools.bench.synthetic import add_op, declare, empty, with_outputs
from lite.tools.options.output import page_option, print_or_write

SIZE, DEPTH = 400, 40
"""The rows and columns of the matrices of the host's branch, and the number of their products."""
ROUNDS = 10
STAGES: Mapping[str, tuple[str, float]] = {
    "first": ("relu", 0.06),
    "second": ("sigmoid", 0.1),
    "third": ("tanh", 0.08),
}
"""The devices of the stream: the op that each one runs, and the seconds of a run."""
ELEMENTS = 40


@click.command()
@page_option
def main(out: Path | None) -> None:
    """Time two branches that run at the same time, and a stream over three devices."""
    print_or_write(_page(_branches(), _stream()), out)


def _branches() -> dict[str, float]:
    """The least seconds of a branch on the host, of one on a device, and of both in one model."""
    x = np.ones((SIZE, SIZE), np.float32)
    alone = _least({"host": _predictor(_program(host=True))}, x)["host"]
    npu = f"sim_npu{{slow_run={alone:.3f}}}"
    predictors = {
        "the branch of the host": _predictor(_program(host=True)),
        "the branch of the device": _predictor(_program(device=True), devices=[npu]),
    }
    for name, mode in (("both, one after the other", "never"), ("both, side by side", "auto")):
        predictors[name] = _predictor(
            _program(host=True, device=True),
            devices=[npu],
            side_by_side=mode,
            partition_rules="matmul_v2-tanh-elementwise_add -> host",
        )
    return _least(predictors, x)


def _stream() -> dict[str, float]:
    """The elements per second of runs one by one and of a stream, and the rate of the slowest device."""
    x = np.ones((4, 8), np.float32)
    program = empty()
    last = "x"
    for number, (op, _) in enumerate(STAGES.values()):
        add_op(program, op, {"X": [last]}, f"s{number}", {})
        last = f"s{number}"
    with_outputs(program, [last])
    with _stages() as names:
        predictor = _predictor(program, devices=names, min_subgraph_ops=1)
        predictor.run([x])
        list(predictor.stream([[x]] * 8, depth=4))
        rates = {
            "runs one by one": _rate(predictor.run([x]) for _ in range(ELEMENTS)),
            "a stream of depth 4": _rate(predictor.stream([[x]] * ELEMENTS, depth=4)),
        }
    return {**rates, "the slowest device alone": 1 / max(seconds for _, seconds in STAGES.values())}


def _program(*, host: bool = False, device: bool = False) -> Program:
    """Branches that read x: products for the host, two activations for the device; and their sum."""
    program = empty()
    ends = []
    if host:
        weight = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32) / SIZE
        program.weights["w"] = Weight(weight)
        declare(program, "w", persistable=True, shape=weight.shape)
        last = "x"
        for number in range(DEPTH):
            add_op(program, "matmul_v2", {"X": [last], "Y": ["w"]}, f"p{number}", {})
            last = f"t{number}"
            add_op(program, "tanh", {"X": [f"p{number}"]}, last, {})
        ends.append(last)
    if device:
        add_op(program, "relu", {"X": ["x"]}, "r", {})
        add_op(program, "sigmoid", {"X": ["r"]}, "s", {})
        ends.append("s")
    if len(ends) == 2:
        add_op(program, "elementwise_add", {"X": ends[:1], "Y": ends[1:]}, "y", {"axis": -1})
        ends = ["y"]
    for name, var in program.blocks[0].vars.items():
        if var.shape is not None and name != "w":
            var.shape = (-1, SIZE)
    return with_outputs(program, ends)


def _predictor(program: Program, **fields: Any) -> Predictor:
    return Predictor.of_program(program, Config(model_buffer=b"in memory", valid_places=["host"], **fields))


@contextmanager
def _stages() -> Iterator[list[str]]:
    """The devices of the stream: simulated chips that take one op each and make one run at a time."""
    load_devices("sim_npu")
    chip: Any = DEVICES.get("sim_npu")
    for name, (op, seconds) in STAGES.items():
        device(name)(_stage(chip, op, seconds))
    try:
        yield list(STAGES)
    finally:
        for name in STAGES:
            DEVICES.remove(name)


def _stage(chip: Any, op: str, seconds: float) -> type[Device[Any]]:
    class Stage(chip):  # type: ignore[misc]
        shared_bridges = "sim_npu"

        def __init__(self, options: Any, settings: Settings) -> None:
            super().__init__(type(options)(slow_run=seconds), settings)

        def why_not_op(self, asked: Any, name: str) -> str | None:
            return None if asked.op == op else f"it runs {op} only"

        def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
            model: CompiledModel = super().compile(graph, signature)
            model.threads = "one"
            return model

    return Stage


def _least(predictors: Mapping[str, Predictor], x: Array) -> dict[str, float]:
    """The least seconds of a run of each predictor; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in predictors}
    for _ in range(ROUNDS + 1):
        for name, predictor in predictors.items():
            start = time.perf_counter()
            predictor.run([x])
            times[name].append(time.perf_counter() - start)
    return {name: min(each[1:]) for name, each in times.items()}


def _rate(results: Iterable[object]) -> float:
    """The results per second, from the first one to the last."""
    times = [time.perf_counter() for _ in results]
    return (len(times) - 1) / (times[-1] - times[0])


def _page(branches: Mapping[str, float], rates: Mapping[str, float]) -> str:
    alone = max(list(branches.values())[:2])
    slowest = list(rates.values())[-1]
    times = ", ".join(f"{1e3 * seconds:.0f}" for _, seconds in STAGES.values())
    lines = [
        "# Several places at once",
        "",
        "The devices are simulated and wait for a given time, so the figures show the work of the engine.",
        "Written by `python -m lite.tools.bench.side_by_side --out docs/benchmarks/side_by_side.md`.",
        "",
        "## Two branches",
        "",
        f"The host computes {DEPTH} matrix products of {SIZE} × {SIZE} with one thread; the device's region",
        f"takes as long.  Least time of {ROUNDS} runs, which take turns.",
        "",
        "| run | ms | relative to the longer branch |",
        "|---|---:|---:|",
        *(f"| {name} | {1e3 * each:.1f} | {each / alone:.2f} |" for name, each in branches.items()),
        "",
        "## A stream over three devices",
        "",
        f"Each run visits three devices, which take {times} ms and make one run at a time.  {ELEMENTS}",
        "elements, timed from the first result to the last.",
        "",
        "| run | elements per second | relative to the slowest device |",
        "|---|---:|---:|",
        *(f"| {name} | {each:.2f} | {each / slowest:.2f} |" for name, each in rates.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
