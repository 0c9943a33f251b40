"""Convolutions in C: every form of filter, stride, dilation, padding and group, with sanitizers."""

from __future__ import annotations

from pathlib import Path

from lite.ir.program import AttrValue
from tests.emitters.c.op_table import Row, check_rows, random


def conv(x: str, w: str, **changes: AttrValue) -> Row:
    attrs: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}
    return "conv2d", {"Input": x, "Filter": w}, attrs | changes


def test_convolutions_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 6, 9, 11), "wide": random(1, 70, 5, 5)}
    weights = {
        "w1": random(5, 6, 1, 1),
        "w3": random(20, 6, 3, 3),
        "w35": random(7, 6, 3, 5),
        "grouped": random(8, 3, 3, 3),
        "depthwise": random(6, 1, 3, 3),
        "many": random(70, 70, 1, 1),
    }
    rows = [
        conv("x", "w1", strides=[2, 3]),
        conv("x", "w3", strides=[2, 2], paddings=[1, 1]),
        conv("x", "w3", paddings=[2, 2], dilations=[2, 2]),
        conv("x", "w35", paddings=[0, 1, 2, 0]),
        conv("x", "grouped", groups=2, paddings=[1, 1]),
        conv("x", "depthwise", groups=6, strides=[2, 2], paddings=[2, 2], dilations=[2, 2]),
        conv("wide", "many"),
    ]

    check_rows(tmp_path, inputs, weights, rows)


def test_transposed_convolutions_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 4, 5, 6)}
    weights = {"w2": random(4, 3, 2, 2), "w3": random(4, 3, 3, 3), "w45": random(4, 2, 4, 5)}
    rows = [
        ("conv2d_transpose", slots, attrs)
        for _, slots, attrs in (
            conv("x", "w2", strides=[2, 2]),
            conv("x", "w3", strides=[2, 2], paddings=[1, 1], output_padding=[1, 1]),
            conv("x", "w3", strides=[2, 2], dilations=[3, 1]),
            conv("x", "w45", groups=2, strides=[3, 2], paddings=[1, 2]),
        )
    ]

    check_rows(tmp_path, inputs, weights, rows)


def test_winograd_convolutions_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 18, 13, 10), "long": random(1, 80, 4, 70), "residual": random(2, 70, 13, 10)}
    weights = {"w": random(70, 18, 3, 3), "narrow": random(16, 80, 3, 3), "bias": random(70)}
    _, slots, attrs = conv("x", "w", paddings=[1, 1])
    rows = [
        conv("x", "w", paddings=[1, 1]),
        conv("x", "w"),
        conv("x", "w", paddings=[3, 0, 0, 2]),
        conv("long", "narrow", paddings=[1, 1]),
        ("conv2d", {**slots, "Bias": "bias", "ResidualData": "residual"}, {**attrs, "activation": "mish"}),
    ]

    # The transforms round more often than sums over windows, here and in the engine.
    check_rows(tmp_path, inputs, weights, rows, tolerance=2e-5)


def test_transposed_convolutions_that_do_not_overlap_equal_the_engine(tmp_path: Path) -> None:
    inputs = {"x": random(2, 18, 5, 6)}
    weights = {
        **{"one": random(18, 1, 2, 2), "three": random(18, 3, 2, 3), "long": random(18, 40, 2, 2)},
        **{"bias": random(1), "biases": random(3), "scale": random(1), "scales": random(3)},
    }
    _, slots, attrs = conv("x", "one", strides=[2, 2])
    _, wide, apart = conv("x", "three", strides=[2, 3])
    rows = [
        (attrs, slots),
        ({**attrs, "activation": "sigmoid"}, {**slots, "Bias": "bias"}),
        ({**attrs, "activation": "sigmoid"}, {**slots, "PostScale": "scale"}),
        ({**attrs, "output_padding": [1, 1]}, slots),
        ({**apart, "activation": "relu"}, {**wide, "Bias": "biases", "PostScale": "scales"}),
        ({**apart, "activation": "mish"}, {**wide, "Bias": "biases", "PostScale": "scale"}),
        (attrs, {**slots, "Filter": "long"}),
    ]

    check_rows(tmp_path, inputs, weights, [("conv2d_transpose", s, a) for a, s in rows])


def test_narrow_results_are_activated(tmp_path: Path) -> None:
    inputs, weights = {"x": random(1, 3, 7, 9)}, {"w": random(3, 3, 3, 3), "deep": random(3, 1, 3, 3)}
    _, slots, attrs = conv("x", "w", paddings=[1, 1], activation="sigmoid")
    rows = [("conv2d", slots, attrs), ("conv2d", {**slots, "Filter": "deep"}, {**attrs, "groups": 3})]

    check_rows(tmp_path, inputs, weights, rows)


def test_outputs_that_no_tap_reaches_are_zero(tmp_path: Path) -> None:
    inputs, weights = {"x": random(1, 2, 3, 4)}, {"w": random(2, 3, 2, 1)}
    _, slots, attrs = conv("x", "w", strides=[3, 1], output_padding=[1, 0])

    check_rows(tmp_path, inputs, weights, [("conv2d_transpose", slots, attrs)])
