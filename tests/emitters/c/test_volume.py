"""Volumes, windows, lengths, sampled images, named axes and spectra in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.ir.types import DType
from lite.session.predictor import create_predictor
from tests.emitters.c.op_table import Row, check_rows, random
from tests.support.compiled_c import compile_model, saved_config
from tests.support.small_programs import OpText, make_program


def test_volumes_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 4, 5, 6, 7)}
    weights = {
        "w": random(6, 4, 3, 2, 3),
        "grouped": random(4, 2, 1, 3, 3),
        "b": random(6),
        "far": random(4, 1, 2, 1, 3),
    }
    rows: list[Row] = [
        ("conv3d", {"Input": "x", "Filter": "w", "Bias": "b"}, {"paddings": [1, 0, 2]}),
        (
            "conv3d",
            {"Input": "x", "Filter": "w"},
            {"strides": [2, 1, 3], "paddings": [1, 1, 4], "dilations": [1, 2, 2]},
        ),
        ("conv3d", {"Input": "x", "Filter": "grouped"}, {"groups": 2, "strides": [1, 2, 2]}),
        ("conv3d", {"Input": "x", "Filter": "w"}, {"activation": "relu6", "activation_params": [2.0]}),
        ("conv3d", {"Input": "x", "Filter": "w"}, {"activation": "swish", "activation_params": [1.0]}),
        (
            "conv3d",
            {"Input": "x", "Filter": "far"},
            {"groups": 4, "paddings": [3, 2, 9], "strides": [2, 2, 4]},
        ),
    ]

    check_rows(tmp_path, inputs, weights, rows, tolerance=3e-6)


def test_windows_and_lengths_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 3, 7, 9), "line": random(2, 3, 11)}
    window = {"ksize": [3, 2], "strides": [2, 1], "paddings": [1, 1, 0, 1], "dilations": [1, 2]}
    rows: list[Row] = [
        ("pool_nd", {"X": "x"}, {"pooling_type": "max", **window}),
        ("pool_nd", {"X": "x"}, {"pooling_type": "avg", **window, "exclusive": False}),
        ("pool_nd", {"X": "x"}, {"pooling_type": "avg", **window, "exclusive": True}),
        ("pool_nd", {"X": "x"}, {"pooling_type": "lp", **window, "norm": 3}),
        ("pool_nd", {"X": "line"}, {"pooling_type": "avg", "ksize": [4], "strides": [3], "ceil_mode": True}),
        ("max_pool2d_with_index", {"X": "x"}, {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}),
        ("max_pool2d_with_index", {"X": "x"}, {"ksize": [3, 4], "adaptive": True}),
        ("max_pool2d_with_index", {"X": "x"}, {"ksize": [1, 1], "global_pooling": True}),
        ("lrn", {"X": "x"}, {"n": 2, "alpha": 0.3, "k": 1.5}),
        *(
            ("p_norm", {"X": "x"}, {"porder": order, "axis": axis, "keepdim": axis == 1})
            for order, axis in (
                (0.0, 1),
                (1.0, 2),
                (2.0, -1),
                (3.0, 1),
                (float("inf"), 2),
                (float("-inf"), 0),
            )
        ),
        ("p_norm", {"X": "x"}, {"porder": 2.0, "asvector": True}),
        ("norm", {"X": "x"}, {"axis": 1}),
        ("lp_normalize", {"X": "x"}, {"axis": 2, "porder": 1}),
        (
            "unfold",
            {"X": "x"},
            {"kernel_sizes": [2, 3], "strides": [2, 1], "paddings": [1, 0, 1, 2], "dilations": [1, 2]},
        ),
    ]

    check_rows(tmp_path, inputs, {}, rows, tolerance=3e-6)


def test_sampled_images_equal_the_engine(tmp_path: Path) -> None:
    grid = random(2, 5, 6, 2)
    grid[0, 0, 0] = [1e30, -1e30]
    grid[0, 0, 1] = [np.nan, 0]
    inputs = {"x": random(2, 3, 7, 4), "grid": grid}
    slots = {"X": "x", "Grid": "grid"}
    rows: list[Row] = [
        ("grid_sampler", slots, {"mode": mode, "padding_mode": padding, "align_corners": corners})
        for mode in ("bilinear", "nearest")
        for padding in ("zeros", "border", "reflection")
        for corners in (False, True)
    ]
    inputs["grid"] = np.clip(np.nan_to_num(grid), -3, 3)

    check_rows(tmp_path, inputs, {}, rows, tolerance=1e-5)


def test_products_over_named_axes_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"a": random(2, 3, 4), "b": random(4, 5), "c": random(2, 3, 4, seed=1), "square": random(4, 4)}
    ops = {
        "ijk,kl->ijl": ["a", "b"],
        "ijk,ijk->i": ["a", "c"],
        "...k,kl->...l": ["a", "b"],
        "ii->i": ["square"],
        "ij->": ["b"],
        "ijk->kji": ["a"],
        "ijk,kl,ijk->jl": ["a", "b", "c"],
    }

    rows: list[OpText] = [
        ("einsum", {"Operands": names}, {"Out": [f"y{n}"]}, {"equation": equation})
        for n, (equation, names) in enumerate(ops.items())
    ]
    outputs = [f"y{n}" for n in range(len(rows))]
    declared = {name: (DType.FLOAT32, array.shape) for name, array in inputs.items()}
    shapes = {name: array.shape for name, array in inputs.items()}
    config = saved_config(make_program(declared, {}, rows, outputs), tmp_path / "source", input_shapes=shapes)
    expected = create_predictor(config).run(dict(inputs))

    results = compile_model(config, tmp_path / "c").run(inputs)

    for name, result in zip(outputs, results, strict=True):
        np.testing.assert_allclose(result, expected[name], rtol=1e-5, atol=1e-5, err_msg=name)
