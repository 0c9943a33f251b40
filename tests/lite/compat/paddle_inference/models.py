"""Small models, saved to folders, with their results computed by numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import lite
from lite.ir.program import Program
from lite.ir.types import DType
from tests.support.small_programs import OpText, make_program

WEIGHT = np.array([1.5, -1.0, 0.25], np.float32)


def relu_of_sum(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The result of the model of `save_relu_of_sum`."""
    return np.where(x + WEIGHT > 0, x + WEIGHT, np.float32(0))


def program_of_relu() -> Program:
    """x: float32[-1, 3] → y = relu(1 * (x + WEIGHT))."""
    return make_program(
        {"x": (DType.FLOAT32, (-1, 3))},
        {"w": WEIGHT},
        [
            ("elementwise_add", {"X": ["x"], "Y": ["w"]}, {"Out": ["sum"]}, {"axis": -1}),
            ("scale", {"X": ["sum"]}, {"Out": ["same"]}, {"scale": 1.0, "bias": 0.0}),
            ("relu", {"X": ["same"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )


def save_relu_of_sum(folder: Path) -> Path:
    """Save the model of `program_of_relu` and return the folder."""
    lite.save_program(program_of_relu(), folder)
    return folder


def save_two_inputs(folder: Path) -> Path:
    """Save a model and return the folder: a: float32[-1], b: float32[-1] → y = a - b."""
    program = make_program(
        {"a": (DType.FLOAT32, (-1,)), "b": (DType.FLOAT32, (-1,))},
        {},
        [("elementwise_sub", {"X": ["a"], "Y": ["b"]}, {"Out": ["y"]}, {"axis": -1})],
        ["y"],
    )
    lite.save_program(program, folder)
    return folder


def save_sequences(folder: Path) -> Path:
    """Save a model and return the folder: x: float32[-1, 1], one LoD level → y, each sequence reversed."""
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 1))},
        {},
        [("sequence_reverse", {"X": ["x"]}, {"Y": ["y"]}, {})],
        ["y"],
    )
    lite.save_program(program, folder)
    return folder


def save_copy(folder: Path, dtype: str) -> Path:
    """Save a model and return the folder: x: `dtype`[-1] → y = x."""
    copy: OpText = ("assign", {"X": ["x"]}, {"Out": ["y"]}, {})
    program = make_program({"x": (DType.from_name(dtype), (-1,))}, {}, [copy], ["y"])
    program.blocks[0].vars["y"].dtype = DType.from_name(dtype)
    lite.save_program(program, folder)
    return folder
