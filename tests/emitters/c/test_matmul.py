"""Matrix products in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lite.ir.types import Array
from tests.emitters.c.op_table import Row, check_rows, random


def test_products_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 3, 5, 7), "y": random(2, 3, 7, 9), "t": random(3, 9, 7), "v": random(7)}
    weights = {"w": random(7, 70), "b": random(70), "wt": random(11, 7)}
    rows: list[Row] = [
        ("matmul_v2", {"X": "x", "Y": "y"}, {}),
        ("matmul_v2", {"X": "x", "Y": "t"}, {"trans_y": True}),
        ("matmul_v2", {"X": "y", "Y": "x"}, {"trans_x": True, "trans_y": True}),
        ("matmul_v2", {"X": "x", "Y": "w"}, {}),
        ("matmul_v2", {"X": "x", "Y": "wt"}, {"trans_y": True}),
        ("matmul", {"X": "x", "Y": "y"}, {"alpha": 0.25}),
        ("matmul_v2", {"X": "v", "Y": "v"}, {}),
        ("mul", {"X": "x", "Y": "w"}, {"x_num_col_dims": 3, "y_num_col_dims": 1}),
        ("fc", {"Input": "x", "W": "w", "Bias": "b"}, {"in_num_col_dims": 3, "activation_type": "relu"}),
    ]

    check_rows(tmp_path, inputs, weights, rows)


def test_products_of_bytes_equal_the_engine(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def codes(dtype: type[np.integer[Any]], *shape: int) -> Array:
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)

    inputs = {
        "u": codes(np.uint8, 2, 3, 5, 7),
        "s": codes(np.int8, 2, 3, 7, 9),
        "v": codes(np.uint8, 7),
        "zu": codes(np.uint8, 1),
    }
    weights: dict[str, Array] = {
        "w": codes(np.int8, 7, 9),
        "zw": codes(np.int8, 9),
        "rows": codes(np.uint8, 5),
        "scale": rng.random(9, np.float32) * 1e-3,
        "bias": rng.standard_normal(9).astype(np.float32),
        "one": np.array([0.01], np.float32),
    }
    rows: list[Row] = [
        ("integer_matmul", {"X": "u", "Y": "s"}, {}),
        ("integer_matmul", {"X": "u", "Y": "w", "XZeroPoint": "zu", "YZeroPoint": "zw"}, {}),
        ("integer_matmul", {"X": "u", "Y": "w", "XZeroPoint": "rows"}, {}),
        ("integer_matmul", {"X": "v", "Y": "w"}, {}),
        ("integer_matmul", {"X": "u", "Y": "v"}, {}),
        ("integer_matmul", {"X": "u", "Y": "s", "Scale": "one"}, {}),
        ("integer_matmul", {"X": "u", "Y": "w", "Scale": "scale", "Bias": "bias"}, {}),
        (
            "integer_matmul",
            {"X": "u", "Y": "w", "Scale": "scale", "Bias": "bias"},
            {"out_scale": 0.5, "out_zero_point": 100},
        ),
    ]

    check_rows(tmp_path, inputs, weights, rows)
