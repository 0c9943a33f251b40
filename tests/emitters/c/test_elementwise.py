"""Elementwise ops and activations in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.ops import Trait, ops_with
from lite.ops.schema import SCHEMAS
from tests.emitters.c.op_table import Row, check_rows, random

FUNCTIONS = ("exp", "tanh", "erf", "sqrt", "rsqrt", "log", "sin", "abs", "floor", "round", "sign", "square")


def test_activations_and_functions_equal_the_engine(tmp_path: Path) -> None:
    special = [0.0, -0.0, 90.0, -110.0, 20.5, -20.5, 1e-4, -1e-4, 0.624, 0.626]
    inputs = {"x": np.concatenate([3 * random(200), np.array(special, np.float32)]).reshape(7, 30)}
    inputs["positive"] = np.abs(inputs["x"]) + np.float32(0.01)
    activations = sorted(name for name in ops_with(Trait.ACTIVATION) if SCHEMAS[name].canonical is None)
    rows: list[Row] = [(name, {"X": "x"}, {}) for name in activations if name != "logsigmoid"]
    rows += [(name, {"X": "positive" if name != "exp" else "x"}, {}) for name in FUNCTIONS if name != "exp"]
    rows += [
        ("leaky_relu", {"X": "x"}, {"alpha": 1.5}),
        ("gelu", {"X": "x"}, {"approximate": True}),
        ("clip", {"X": "x"}, {"min": -0.5, "max": 0.75}),
        ("pow", {"X": "positive"}, {"factor": 1.5}),
    ]

    check_rows(tmp_path, inputs, {}, rows)


def test_operands_broadcast(tmp_path: Path) -> None:
    inputs = {"x": random(2, 3, 4, 5), "y": random(2, 1, 4, 1), "z": random(5)}
    weights = {"c": random(3), "one": random(1)}
    rows: list[Row] = [
        ("elementwise_add", {"X": "x", "Y": "y"}, {"axis": -1}),
        ("elementwise_sub", {"X": "x", "Y": "z"}, {"axis": -1}),
        ("elementwise_mul", {"X": "x", "Y": "c"}, {"axis": 1}),
        ("elementwise_div", {"X": "x", "Y": "one"}, {"axis": -1}),
        ("elementwise_max", {"X": "x", "Y": "y"}, {"axis": -1}),
        ("elementwise_min", {"X": "y", "Y": "x"}, {"axis": -1}),
        ("elementwise_mod", {"X": "x", "Y": "y"}, {"axis": -1}),
    ]

    check_rows(tmp_path, inputs, weights, rows)


def test_integers_wrap_and_steps_are_truncated(tmp_path: Path) -> None:
    inputs = {"n": np.array([0, -5, 7, 2**62, -(2**63)]), "m": np.array([1, 2, 3, 2**62, -1])}
    rows: list[Row] = [
        ("increment", {"X": "n"}, {"step": -2.75}),
        ("elementwise_add", {"X": "n", "Y": "m"}, {"axis": -1}),
        ("elementwise_sub", {"X": "n", "Y": "m"}, {"axis": -1}),
        ("scale", {"X": "n"}, {"scale": 3.0, "bias": -1.0}),
        ("abs", {"X": "n"}, {}),
    ]

    check_rows(tmp_path, inputs, {}, rows, tolerance=0)
