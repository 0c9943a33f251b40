"""The fault injector: options that make the device fail on purpose.  A real device has no such file.

litebridge's own tests, `check-device` and CI use it to see that nothing a device does wrong reaches the
user.  Runs are counted from 1 over all models of one opened device; a worker process (``isolate=True``)
opens its own and counts anew.
"""

from __future__ import annotations

import itertools
import os
import signal
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import Array


class SimulatedFault(Exception):  # noqa: N818 - stands for whatever a vendor may throw
    """Thrown where an option asks for it; no error of litebridge's, as a vendor's would not be."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong; nothing by default.

    `fail_at` fails always, `fail_run` once, at that run.  `fail_op` refuses regions with an op of that
    type when they are compiled, and says which op it was if `name_fail_op`.  `wrong_shape` and
    `wrong_dtype` spoil every result, `slow_build` and `slow_run` are seconds, `kill` ends the process at
    that run.  `sdk_version` pretends to be another SDK.
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
    """Makes happen what the options of one opened device ask for."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._runs = itertools.count(1)

    def at(self, step: str) -> None:
        """Fail if the device is to fail at this step."""
        if self.faults.fail_at == step:
            raise SimulatedFault(f"asked for by fail_at={step}")

    def building(self, graph: Graph) -> None:
        """Called when the device's compiler has a region."""
        time.sleep(self.faults.slow_build)
        self.at("compile")
        for node in graph:
            if node.op == self.faults.fail_op:
                message = f"the compiler gave up (asked for by fail_op={node.op})"
                raise CompileError(message, node.label if self.faults.name_fail_op else None)

    def running(self) -> None:
        """Called before each run."""
        run = next(self._runs)
        time.sleep(self.faults.slow_run)
        if run == self.faults.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if run == self.faults.fail_run:
            raise SimulatedFault(f"asked for by fail_run={run}")
        self.at("run")

    @property
    def spoils(self) -> bool:
        """Whether results are not what they should be."""
        return self.faults.wrong_shape or self.faults.wrong_dtype

    def spoiled(self, result: Array) -> Array:
        """A result as it is, or with a row or an element type that it should not have."""
        if self.faults.wrong_shape:
            result = np.concatenate([result, result[:1]])
        if self.faults.wrong_dtype:
            result = result.astype(np.float64 if result.dtype.kind == "f" else np.int64)
        return result
