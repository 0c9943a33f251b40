"""Softmax, normalisations, reductions, poolings and moved elements in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.emitters.c.op_table import Row, check_rows, random


def test_norms_and_reductions_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 6, 5, 7)}
    ones = {name: np.abs(random(6, seed=n)) + 0.5 for n, name in enumerate(("scale", "bias", "mean", "var"))}
    batch = {"Scale": "scale", "Bias": "bias", "Mean": "mean", "Variance": "var"}
    rows: list[Row] = [
        ("softmax", {"X": "x"}, {"axis": -1}),
        ("softmax", {"X": "x"}, {"axis": 1}),
        ("log_softmax", {"X": "x"}, {"axis": 2}),
        ("layer_norm", {"X": "x"}, {"begin_norm_axis": 2}),
        ("batch_norm", {"X": "x", **batch}, {"is_test": True}),
        ("instance_norm", {"X": "x", "Scale": "scale", "Bias": "bias"}, {}),
        ("group_norm", {"X": "x", "Scale": "scale", "Bias": "bias"}, {"groups": 3}),
        ("reduce_min", {"X": "x"}, {"reduce_all": True}),
    ]
    for name in ("reduce_mean", "reduce_max", "reduce_sum"):
        for axes, keep in (([2, 3], False), ([1], True), ([0, 2], False)):
            rows.append((name, {"X": "x"}, {"dim": axes, "keep_dim": keep}))

    check_rows(tmp_path, inputs, ones, rows)


def test_poolings_and_moved_elements_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 6, 7, 9)}
    window = {"ksize": [3, 2], "strides": [2, 2], "paddings": [1, 0]}
    rows: list[Row] = [
        ("pool2d", {"X": "x"}, {"pooling_type": "max", **window}),
        ("pool2d", {"X": "x"}, {"pooling_type": "avg", **window, "exclusive": False}),
        ("pool2d", {"X": "x"}, {"pooling_type": "avg", **window, "ceil_mode": True}),
        ("pool2d", {"X": "x"}, {"pooling_type": "avg", "ksize": [3, 4], "adaptive": True}),
        ("transpose2", {"X": "x"}, {"axis": [2, 0, 3, 1]}),
        ("flip", {"X": "x"}, {"axis": [1, 3]}),
        ("roll", {"X": "x"}, {"axis": [3], "shifts": [2]}),
        ("shuffle_channel", {"X": "x"}, {"group": 3}),
        (
            "strided_slice",
            {"Input": "x"},
            {"axes": [2, 3], "starts": [1, 8], "ends": [7, 0], "strides": [2, -3]},
        ),
        ("pad_nd", {"X": "x"}, {"paddings": [0, 0, 1, 0, 2, 1, 0, 3], "value": 1.5}),
        ("pad_nd", {"X": "x"}, {"paddings": [0, 0, 0, 0, 2, 1, 1, 3], "mode": "reflect"}),
        ("bilinear_interp_v2", {"X": "x"}, {"out_h": 11, "out_w": 5, "align_corners": False}),
        ("nearest_interp_v2", {"X": "x"}, {"out_h": 14, "out_w": 18, "align_corners": False}),
    ]

    check_rows(tmp_path, inputs, {}, rows)
