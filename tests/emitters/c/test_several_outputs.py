"""Ops with several outputs, and float64, in C, with sanitizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.session.predictor import create_predictor
from tests.emitters.c.op_table import random
from tests.support.compiled_c import compile_model, saved_config
from tests.support.small_programs import OpText, make_program

Results = Mapping[str, Sequence[str]]


def check_ops(
    folder: Path, inputs: Mapping[str, Array], weights: Mapping[str, Array], ops: Sequence[OpText]
) -> None:
    """All outputs of the ops in C equal those of the engine; integers exactly."""
    outputs = [name for op in ops for names in op[2].values() for name in names]
    declared = {name: (DType.from_numpy(array.dtype), array.shape) for name, array in inputs.items()}
    shapes = {name: array.shape for name, array in inputs.items()}
    program = make_program(declared, weights, ops, outputs)
    config = saved_config(program, folder / "source", input_shapes=shapes, valid_places=["host"])
    expected = create_predictor(config).run(dict(inputs))

    results = compile_model(config, folder / "c").run(inputs)

    for name, result in zip(outputs, results, strict=True):
        wanted = expected[name]
        assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape), name
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(result, wanted, rtol=2e-6, atol=2e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(result, wanted, err_msg=name)


def test_recurrent_networks_stop_at_the_end_of_each_sequence(tmp_path: Path) -> None:
    time, batch, size, hidden = 5, 3, 4, 6
    inputs = {
        "x": random(time, batch, size),
        "lengths": np.array([5, 0, 3]),
        "short": np.array([1, 9, 2], np.int32),
    }
    ops: list[OpText] = []
    weights: dict[str, Array] = {}
    for n, (mode, gates, states) in enumerate((("LSTM", 4, 2), ("GRU", 3, 1), ("RNN_TANH", 1, 1))):
        shapes = [(gates * hidden, size), (gates * hidden, hidden)] * 2 + [(gates * hidden,)] * 4
        names = [f"{mode}{k}" for k in range(len(shapes))]
        weights |= {
            name: random(*shape, seed=k) / 2
            for k, (name, shape) in enumerate(zip(names, shapes, strict=True))
        }
        first = [f"{mode}_first{k}" for k in range(states)]
        weights |= {name: random(2, batch, hidden, seed=k) for k, name in enumerate(first)}
        attrs: dict[str, AttrValue] = {
            "mode": mode,
            "hidden_size": hidden,
            "num_layers": 1,
            "is_bidirec": True,
        }
        lengths = "short" if n == 1 else "lengths"
        slots = {"Input": ["x"], "PreState": first, "WeightList": names, "SequenceLength": [lengths]}
        ops.append(("rnn", slots, {"Out": [f"y{n}"], "State": [f"last{n}{k}" for k in range(states)]}, attrs))

    check_ops(tmp_path, inputs, weights, ops)


def test_boxes_of_a_detector_equal_the_engine(tmp_path: Path) -> None:
    inputs = {
        "x": random(2, 2 * 8, 3, 4),
        "aware": random(2, 2 * 9, 3, 4),
        "size": np.array([[90, 120], [60, 64]], np.int32),
    }
    common: dict[str, AttrValue] = {"class_num": 3, "anchors": [10, 13, 16, 30], "conf_thresh": 0.4}
    ops: list[OpText] = [
        ("yolo_box", {"X": ["x"], "ImgSize": ["size"]}, {"Boxes": ["b0"], "Scores": ["s0"]}, common),
        (
            "yolo_box",
            {"X": ["aware"], "ImgSize": ["size"]},
            {"Boxes": ["b1"], "Scores": ["s1"]},
            {**common, "iou_aware": True, "iou_aware_factor": 0.3, "scale_x_y": 1.2, "clip_bbox": False},
        ),
    ]

    check_ops(tmp_path, inputs, {}, ops)


def test_integers_of_computed_ranges_equal_the_engine(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    inputs = {
        "x": random(2, 3, 6, 5) * 3 + 1,
        "zeros": np.zeros((2, 3), np.float32),
        "bytes": rng.integers(0, 256, (2, 4, 6, 5)).astype(np.uint8),
    }
    weights = {
        "w": rng.integers(-128, 128, (6, 2, 3, 2)).astype(np.int8),
        "zx": np.array(117, np.uint8),
        "zw": rng.integers(-9, 9, 6).astype(np.int8),
    }
    conv: dict[str, AttrValue] = {"group": 2, "pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]}
    ops: list[OpText] = [
        ("dynamic_quantize", {"X": ["x"]}, {"Out": ["q0"], "Scale": ["s0"], "ZeroPoint": ["z0"]}, {}),
        ("dynamic_quantize", {"X": ["zeros"]}, {"Out": ["q1"], "Scale": ["s1"], "ZeroPoint": ["z1"]}, {}),
        (
            "conv_integer",
            {"X": ["bytes"], "Filter": ["w"], "XZeroPoint": ["zx"], "FilterZeroPoint": ["zw"]},
            {"Out": ["y"]},
            conv,
        ),
    ]

    check_ops(tmp_path, inputs, weights, ops)


def test_float64_equals_the_engine(tmp_path: Path) -> None:
    wide = random(3, 4, 5).astype(np.float64)
    inputs = {"x": wide, "y": random(3, 5, 2).astype(np.float64)}
    weights = {"w": random(5, 6).astype(np.float64), "b": random(6).astype(np.float64)}
    ops: list[OpText] = [
        ("matmul_v2", {"X": ["x"], "Y": ["y"]}, {"Out": ["a"]}, {}),
        ("matmul_v2", {"X": ["x"], "Y": ["y"]}, {"Out": ["h"]}, {"trans_x": False}),
        ("mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["c"]}, {"x_num_col_dims": 2}),
        ("softmax", {"X": ["x"]}, {"Out": ["d"]}, {"axis": 1}),
        ("scale", {"X": ["x"]}, {"Out": ["e"]}, {"scale": 0.1, "bias": 2.5}),
        ("elementwise_add", {"X": ["c"], "Y": ["b"]}, {"Out": ["f"]}, {"axis": -1}),
        ("tanh", {"X": ["x"]}, {"Out": ["g"]}, {}),
    ]

    check_ops(tmp_path, inputs, weights, ops)
