"""Matrix products in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path

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
