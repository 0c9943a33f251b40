"""The fault injector: options that make the device fail on purpose.  A real device has no such file.

The tests of litebridge, `check-device` and CI use it to check that no fault of a device reaches the user.
Runs are counted from 1 over all models of one opened device; a worker process (``isolate=True``) opens its
own device and counts from 1 as well.
"""

from __future__ import annotations

import itertools
import os
import signal
import time
from typing import Literal

import numpy as np

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import Array


class SimulatedFault(Exception):  # noqa: N818 - stands for any exception of a vendor's code
    """Raised where an option asks for it; like a vendor's exception, it is not an error of litebridge."""


@dataclass(frozen=True)
class Faults:
    """Faults to simulate; none by default.

    `fail_at` fails always, `fail_run` once, at the run of that number.  `fail_op` refuses to compile regions
    with an op of that type, and names the op if `name_fail_op`.  `wrong_shape` and `wrong_dtype` corrupt
    every result, `slow_build` and `slow_run` are seconds to wait, `kill` ends the process at the run of that
    number.  `sdk_version` simulates another SDK.
    """

    fail_at: Literal["", "available", "convert", "compile", "load", "run"] = ""
    fail_run: int = 0
    fail_op: str = ""
    name_fail_op: bool = True
    wrong_shape: bool = False
    wrong_dtype: bool = False
    slow_build: float = 0.0
    slow_run: float = 0.0
    kill: int = 0
    sdk_version: str = ""


class Injector:
    """Produces the faults that the options of one opened device ask for."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._runs = itertools.count(1)

    def at(self, step: str) -> None:
        """Fail if the device is to fail at this step."""
        if self.faults.fail_at == step:
            raise SimulatedFault(f"asked for by fail_at={step}")

    def at_compile(self, graph: Graph) -> None:
        """Fail in place of the device's compiler."""
        time.sleep(self.faults.slow_build)
        self.at("compile")
        for node in graph:
            if node.op == self.faults.fail_op:
                message = f"the compiler gave up (asked for by fail_op={node.op})"
                raise CompileError(message, node.label if self.faults.name_fail_op else None)

    def at_run(self) -> None:
        """Fail before a run."""
        run = next(self._runs)
        time.sleep(self.faults.slow_run)
        if run == self.faults.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if run == self.faults.fail_run:
            raise SimulatedFault(f"asked for by fail_run={run}")
        self.at("run")

    @property
    def corrupts(self) -> bool:
        """Whether results are corrupted."""
        return self.faults.wrong_shape or self.faults.wrong_dtype

    def corrupted(self, result: Array) -> Array:
        """The result with a row too many or another element type, where the options ask for it."""
        if self.faults.wrong_shape:
            result = np.concatenate([result, result[:1]])
        if self.faults.wrong_dtype:
            result = result.astype(np.float64 if result.dtype.kind == "f" else np.int64)
        return result
