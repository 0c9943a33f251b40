"""Kernels for images in NHWC against the host's kernels."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.attributes import Attributes
from lite.ir.program import AttrValue
from tests.kernels.cpu.bound import floats, run_nchw

Attrs = dict[str, AttrValue]

POOLINGS: dict[str, tuple[tuple[int, ...], Attrs]] = {
    "max": ((2, 9, 8, 11), {"pooling_type": "max", "ksize": [2, 3], "strides": [2, 1], "paddings": [0, 1]}),
    "max of negatives": ((1, 8, 3, 3), {"pooling_type": "max", "ksize": [5, 5], "paddings": [2, 2]}),
    "average": (
        (1, 20, 7, 6),
        {"pooling_type": "avg", "ksize": [3, 2], "strides": [1, 2], "paddings": [1, 0]},
    ),
    "average with padding": (
        (1, 3, 7, 6),
        {"pooling_type": "avg", "ksize": [3, 3], "paddings": [1, 1], "exclusive": False},
    ),
    "ceil": ((1, 5, 8, 7), {"pooling_type": "avg", "ksize": [3, 3], "strides": [2, 2], "ceil_mode": True}),
    "large windows": ((2, 20, 9, 11), {"pooling_type": "max", "ksize": [5, 5], "paddings": [2, 2]}),
    "large averages": (
        (1, 37, 9, 12),
        {"pooling_type": "avg", "ksize": [7, 4], "strides": [1, 2], "paddings": [3, 2]},
    ),
    "global average": ((2, 33, 4, 5), {"pooling_type": "avg", "ksize": [1, 1], "global_pooling": True}),
    "global maximum": ((2, 3, 4, 5), {"pooling_type": "max", "ksize": [1, 1], "global_pooling": True}),
    "adaptive": ((1, 10, 7, 9), {"pooling_type": "avg", "ksize": [3, 4], "adaptive": True}),
    "same": (
        (1, 4, 9, 9),
        {"pooling_type": "max", "ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "SAME"},
    ),
}


@pytest.mark.parametrize(("shape", "attrs"), POOLINGS.values(), ids=POOLINGS)
def test_pool2d_equals_the_host(shape: tuple[int, ...], attrs: Attrs) -> None:
    x = floats(1, *shape) - 5
    _, is_compiled = run_nchw("pool2d", {"X": x}, attrs)
    assert is_compiled


def test_the_maximum_of_a_window_with_nan_is_nan() -> None:
    x = floats(1, 1, 9, 4, 4)
    x[0, :, 1, 2] = np.nan
    result, _ = run_nchw("pool2d", {"X": x}, {"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2]})
    np.testing.assert_array_equal(np.isnan(result[0, 0]), [[False, True], [False, False]])
    result, _ = run_nchw("pool2d", {"X": x}, {"pooling_type": "max", "ksize": [3, 3], "strides": [1, 1]})
    assert np.isnan(result).all()


SIZES: dict[str, Attrs] = {
    "scale": {"scale": [2.0, 3.0]},
    "smaller": {"out_h": 3, "out_w": 4},
    "larger": {"out_h": 11, "out_w": 17},
    "one": {"out_h": 1, "out_w": 1},
    "the middle": {"out_h": 1, "out_w": 1, "align_mode": 0, "ratio_for_one": True},
    "corners": {"out_h": 9, "out_w": 13, "align_corners": True},
    "centres": {"out_h": 9, "out_w": 13, "align_mode": 0},
    "sizes": {"scale": [1.7, 2.3], "ratio_from_sizes": True},
}


@pytest.mark.parametrize("op", ["nearest_interp_v2", "bilinear_interp_v2"])
@pytest.mark.parametrize("attrs", SIZES.values(), ids=SIZES)
def test_resizing_equals_the_host(op: str, attrs: Attrs) -> None:
    _, is_compiled = run_nchw(op, {"X": floats(1, 2, 9, 5, 6)}, {"align_corners": False, **attrs})
    assert is_compiled


@pytest.mark.parametrize("channels", [3, 16, 40, 100])
@pytest.mark.parametrize("activations", [("relu", "hard_sigmoid"), ("swish", "sigmoid"), ("", "tanh")])
def test_squeeze_excite_equals_the_host(channels: int, activations: tuple[str, str]) -> None:
    inputs = {
        "X": floats(1, 2, channels, 60, 20),
        "Squeeze": floats(2, 5, channels, 1, 1),
        "SqueezeBias": floats(3, 5),
        "Excite": floats(4, channels, 5, 1, 1),
        "ExciteBias": floats(5, channels),
        "GateScale": floats(6, channels),
        "GateShift": floats(7, 1),
    }
    attrs: Attrs = {"squeeze_activation": activations[0], "excite_activation": activations[1]}
    constants = [slot for slot in inputs if slot != "X"]
    _, is_compiled = run_nchw("squeeze_excite", inputs, attrs, constants)
    assert is_compiled
    few = {slot: inputs[slot] for slot in ("X", "Squeeze", "Excite")}
    _, is_compiled = run_nchw("squeeze_excite", few, attrs, ["Squeeze", "Excite"])
    assert is_compiled


TRANSPOSED: dict[str, tuple[tuple[int, ...], tuple[int, ...], Attrs, bool]] = {
    "blocks": ((1, 5, 6, 20), (5, 7, 2, 2), {"strides": [2, 2]}, True),
    "one output": ((2, 24, 3, 9), (24, 1, 2, 2), {"strides": [2, 2], "activation": "sigmoid"}, True),
    "wide blocks": ((1, 3, 2, 5), (3, 20, 1, 3), {"strides": [1, 3], "activation": "relu"}, True),
    "few outputs": ((1, 5, 6, 7), (5, 7, 3, 3), {"strides": [2, 2], "paddings": [1, 1]}, True),
    "one output of windows": ((2, 6, 5, 4), (6, 1, 4, 4), {"strides": [2, 2], "paddings": [1, 1]}, True),
    "few outputs of many": ((1, 40, 6, 7), (40, 2, 3, 3), {"strides": [2, 2], "paddings": [1, 1]}, False),
    "overlapping": ((2, 5, 6, 7), (5, 9, 3, 3), {"strides": [2, 2], "paddings": [1, 1]}, True),
    "overlapping rows": ((1, 20, 9, 40), (20, 40, 4, 4), {"strides": [2, 2], "paddings": [1, 1]}, True),
    "different strides": (
        (1, 6, 5, 33),
        (6, 70, 3, 5),
        {"strides": [1, 3], "paddings": [2, 0, 1, 3], "activation": "swish"},
        True,
    ),
    "output padding": (
        (1, 4, 7, 20),
        (4, 8, 3, 3),
        {"strides": [2, 2], "paddings": [1, 1], "output_padding": [1, 1], "activation": "relu"},
        True,
    ),
    "gaps": ((1, 4, 3, 20), (4, 8, 1, 2), {"strides": [3, 3]}, True),
    "one pixel": ((1, 8, 1, 1), (8, 16, 5, 5), {"strides": [1, 1], "paddings": [1, 1]}, True),
    "more padding than taps": ((1, 4, 6, 6), (4, 8, 2, 2), {"strides": [1, 1], "paddings": [3, 2]}, True),
    "dilation": ((1, 4, 5, 5), (4, 8, 3, 3), {"strides": [2, 2], "dilations": [2, 2]}, False),
    "groups": ((1, 4, 3, 3), (4, 2, 2, 2), {"strides": [2, 2], "groups": 2}, False),
}


@pytest.mark.parametrize(("x", "weight", "attrs", "is_compiled"), TRANSPOSED.values(), ids=TRANSPOSED)
def test_conv2d_transpose_equals_the_host(
    x: tuple[int, ...], weight: tuple[int, ...], attrs: Attrs, is_compiled: bool
) -> None:
    outputs = weight[1] * Attributes("conv2d_transpose", attrs).integer("groups", 1)
    inputs = {
        "Input": floats(1, *x),
        "Filter": floats(2, *weight),
        "Bias": floats(3, outputs),
        "PostScale": floats(4, outputs),
        "PostShift": floats(5, outputs),
    }
    constants = [slot for slot in inputs if slot != "Input"]
    for slots in (list(inputs), ["Input", "Filter", "Bias"], ["Input", "Filter"]):
        chosen = {slot: inputs[slot] for slot in slots}
        _, was_compiled = run_nchw("conv2d_transpose", chosen, attrs, constants)
        assert was_compiled == is_compiled


def test_the_maximum_of_a_window_of_minus_infinity_is_minus_infinity() -> None:
    x = np.full((1, 9, 4, 4), -np.inf, np.float32)
    x[0, :, 3, 3] = 1
    pooled, is_compiled = run_nchw(
        "pool2d", {"X": x}, {"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2]}
    )
    assert is_compiled
    np.testing.assert_array_equal(pooled[0, 0], [[-np.inf, -np.inf], [-np.inf, 1]])
