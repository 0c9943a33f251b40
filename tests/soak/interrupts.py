"""Interrupts a predictor at every line that it executes: ``python -m tests.soak.interrupts``.

A line is interrupted when the calling thread, the only one that Python interrupts, comes to it for the first
time.  Then the same call must be right, a clone in another thread must be right, too, no lock, worker or
limit of BLAS may be left, and regions that were built must be there.  An interrupt of a request to a worker
process ends it, and the host takes over its regions.
"""

from __future__ import annotations

import functools
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
import onnx
from onnx import helper, numpy_helper
from threadpoolctl import ThreadpoolController

import lite
from lite.ir.types import Array
from lite.kernels.cpu.native import worker_pool
from lite.runtime.threads import BlasLimit
from tests.support.interrupts import Line, interrupted, lines_of

THREAD_SECONDS = 60.0
DEVICE: Mapping[str, Any] = {"devices": ["sim_npu"], "min_subgraph_ops": 1}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "cpu": {"threads": 2},
    "host": {"valid_places": ["host"]},
    "device": DEVICE,
    "device with memory": {"devices": ["sim_npu{memory=true}"], "min_subgraph_ops": 1},
    "device beside the host": {**DEVICE, "side_by_side": "always"},
    "device in a process": {**DEVICE, "isolate": True},
}


def model() -> bytes:
    """Two branches of which a device takes one, and a loop; an input of 1×3×16×16."""
    rng = np.random.default_rng(0)
    constants: dict[str, Array] = {
        name: (rng.standard_normal(shape) / 8).astype(np.float32)
        for name, shape in {"w1": (16, 3, 3, 3), "w2": (32, 16, 3, 3), "w3": (32, 5), "w4": (3, 5)}.items()
    }
    constants |= {"two": np.array(2, np.int64), "three": np.array(3, np.int64)}
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Sin", ["v"], ["u"])],
        "body",
        [info("i", 7, []), info("c", 9, []), info("v", 1, [1, 5])],
        [info("d", 9, []), info("u", 1, [1, 5])],
    )
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["e"], pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["e"], ["f"]),
        helper.make_node("Flatten", ["f"], ["g"]),
        helper.make_node("MatMul", ["g", "w3"], ["h"]),
        helper.make_node("CumSum", ["x", "two"], ["s"]),
        helper.make_node("ReduceMax", ["s"], ["m"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["m", "w4"], ["n"]),
        helper.make_node("Add", ["h", "n"], ["o"]),
        helper.make_node("Loop", ["three", "", "o"], ["y"], body=body),
    ]
    values = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(
        nodes, "g", [info("x", 1, [1, 3, 16, 16])], [onnx.ValueInfoProto(name="y")], values
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    content: bytes = made.SerializeToString()
    return content


class Subject:
    """A setting's predictor and its expected result; calls to interrupt, by name."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._states = {"built", "host"} if fields.get("isolate") else {"built"}
        self.config = lite.Config(model_buffer=model(), compilation="wait", **fields)
        self.feeds = {"x": np.random.default_rng(1).standard_normal((1, 3, 16, 16)).astype(np.float32)}
        self.origin = lite.create_predictor(self.config)
        self.expected = self.result(self.origin).copy()
        self.blas = blas_threads()

    def result(self, predictor: lite.Predictor) -> Array:
        """The output of a run."""
        return predictor.run(self.feeds)["y"]

    def calls(self) -> Iterator[tuple[str, Callable[[], lite.Predictor], Callable[[lite.Predictor], object]]]:
        """Names, what makes a predictor, and what is called with it."""
        feeds, origin = self.feeds, self.origin
        yield "run", self.warm, self.result
        yield "first run", self.create, self.result
        yield "first run of a clone", origin.clone, self.result
        yield "create and run", lambda: origin, lambda _: self.result(self.create())
        yield "clone and run", lambda: origin, lambda each: self.result(each.clone())
        yield "prepare", self.create, lambda each: each.prepare({"x": (1, 3, 16, 16)})
        yield "run_async", lambda: origin, lambda each: each.run_async(feeds).result()
        yield "stream", lambda: origin, lambda each: list(each.stream([feeds] * 3))

    def warm(self) -> lite.Predictor:
        """A predictor that ran: a new one where an interrupt may have ended the worker of the last one."""
        if "host" not in self._states:
            return self.origin
        predictor = self.create()
        self.result(predictor)
        return predictor

    def create(self) -> lite.Predictor:
        """A predictor that did not run."""
        return lite.create_predictor(self.config)

    def problem(self, predictor: lite.Predictor) -> str:
        """What is wrong after an interrupt; empty if nothing is."""
        found = []
        try:
            if not self._is_right(self.result(predictor)):
                found.append("wrong result")
        except lite.LiteError as error:
            found.append(str(error))
        outcome: list[str] = []
        thread = threading.Thread(target=lambda: outcome.append(self._of_clone(predictor)), daemon=True)
        thread.start()
        thread.join(THREAD_SECONDS)
        found += outcome or ["a clone in another thread hangs"]
        if blas_threads() != self.blas or BlasLimit._entered or BlasLimit._before:
            found.append("a limit of BLAS is left")
        pools = worker_pool._pools
        if pools._free != pools._all:
            found.append("workers are busy")
        states = {region["state"] for region in predictor.report().to_dict()["regions"]}
        if states - self._states:
            found.append(f"regions are {states}")
        return "; ".join(filter(None, found))

    def _is_right(self, result: Array) -> bool:
        """Whether a result is the expected one; where the host took over, it may differ in rounding."""
        same = "host" not in self._states
        return (
            np.array_equal(result, self.expected) if same else np.allclose(result, self.expected, atol=1e-5)
        )

    def _of_clone(self, predictor: lite.Predictor) -> str:
        try:
            same = self._is_right(self.result(predictor.clone()))
        except lite.LiteError as error:
            return f"clone: {error}"
        return "" if same else "wrong result of a clone"


def blas_threads() -> list[int]:
    """The number of threads of each BLAS library."""
    return [each.num_threads for each in ThreadpoolController().select(user_api="blas").lib_controllers]


@click.command()
@click.option("--only", default="", help="Only the settings whose name contains this.")
@click.option("--calls", default="", help="Only the calls with these names, separated by commas.")
@click.option("--every", default=1, show_default=True, help="Try every so many lines.")
@click.option("--minutes", type=float, help="Stop after so many minutes.")
def main(only: str, calls: str, every: int, minutes: float | None) -> None:
    """Exit status 1 where a call after an interrupt is not right."""
    logging.disable(logging.CRITICAL)
    start = time.monotonic()
    failures: list[str] = []
    total, files = 0, set[str]()
    for name, fields in SETTINGS.items():
        if only not in name:
            continue
        subject = Subject(fields)
        for call, make, function in subject.calls():
            if calls and call not in calls.split(","):
                continue
            before = make()
            lines = lines_of(functools.partial(function, before))
            reached = 0
            for line in lines[::every]:
                if minutes is not None and time.monotonic() - start > 60 * minutes:
                    break
                predictor = make()
                reached += interrupted(functools.partial(function, predictor), line)
                problem = subject.problem(predictor)
                if problem:
                    failures.append(f"{name}, {call}, {_text(line)}: {problem}")
            total += reached
            files |= {path for path, _ in lines}
            click.echo(f"{name}, {call}: {len(lines)} lines, {reached} interrupted")
    taken = (time.monotonic() - start) / 60
    click.echo(f"{total} interrupts in {len(files)} files, {len(failures)} failures, {taken:.1f} minutes")
    for failure in failures[:30]:
        click.echo(failure)
    sys.exit(1 if failures else 0)


def _text(line: Line) -> str:
    path, number = line
    return f"{Path(path).relative_to(Path(lite.__file__).parent)}:{number}"


if __name__ == "__main__":
    main()
