"""A tiny model, its reference, and calls of the command line program."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from lite.ir.program import Program
from lite.ir.types import Array, DType
from lite.tools.cli import main
from tests.support.small_programs import make_program

COMPILED = "host/any/any" if importlib.util.find_spec("numba") is None else "cpu/float32/any"
"""The place of an op with a compiled kernel."""

W = np.array([[1, 0, -1], [2, 1, 0], [0, -3, 1], [0.5, 0, 4]], np.float32)
B = np.array([0, 10, -1], np.float32)
X = np.array([[1, 2, 3, 4], [-1, 0, 1, 0]], np.float32)


def tiny() -> Program:
    """``y = relu(x · w + b)`` for x: float32[?, 4]."""
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {"w": W, "b": B},
        [
            ("mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["xw"]}, {"x_num_col_dims": 1, "y_num_col_dims": 1}),
            ("elementwise_add", {"X": ["xw"], "Y": ["b"]}, {"Out": ["sum"]}, {"axis": 1}),
            ("relu", {"X": ["sum"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )
    for name in ("xw", "sum", "y"):
        program.blocks[0].vars[name].shape = (-1, 3)
    return program


def reference(x: Array) -> Array:
    """The result of `tiny`, from the definition."""
    y = np.zeros((len(x), 3), np.float32)
    for i in range(len(x)):
        for j in range(3):
            y[i, j] = max(sum(float(x[i, k]) * float(W[k, j]) for k in range(4)) + float(B[j]), 0)
    return y


def call(*arguments: object) -> Result:
    """Run ``litebridge ARGUMENTS``; an unexpected exception is raised."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def call_json(*arguments: object) -> Any:
    """The document of ``litebridge ARGUMENTS --json``, which must succeed."""
    result = call(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)
