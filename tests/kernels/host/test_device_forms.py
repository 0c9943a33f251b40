"""Ops in the plain forms that most devices take; the conformance kit keeps each of these cases.

Every case is float32 with elements, has equal strides and nothing fused, and shows one property: a bias, a
dilation, unequal paddings, an order of inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin import kernel
from tests.kernels.host.onnx_reference import reference


def random(*shape: int, seed: int = 0) -> Array:
    """Negative numbers are more frequent than positive ones, so that a maximum with zeros is wrong."""
    array: Array = np.random.default_rng(seed).uniform(-3, 1, shape).astype(np.float32)
    return array


def computed(op: str, inputs: dict[str, list[Array]], attrs: dict[str, Any], slot: str = "Out") -> Array:
    """The first output of the host's kernel."""
    results = kernel.evaluate(op, inputs, attrs, {slot: 1})
    array: Array = results[slot][0].array
    return array


def check(got: Array, expected: Array) -> None:
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


Convolution = tuple[tuple[int, ...], tuple[int, ...], dict[str, Any], bool]
"""The shapes of the image and the filter, attributes, and whether there is a bias."""

CONVOLUTIONS: dict[str, Convolution] = {
    "bias": ((2, 3, 7, 6), (4, 3, 3, 3), {"paddings": [1, 1]}, True),
    "dilation": ((1, 2, 9, 8), (3, 2, 3, 3), {"paddings": [2, 2], "dilations": [2, 2]}, False),
    "stride": ((1, 2, 9, 8), (3, 2, 3, 2), {"strides": [2, 2]}, False),
    "unequal paddings": ((1, 2, 6, 7), (3, 2, 3, 3), {"paddings": [2, 0, 1, 2]}, False),
    "groups": ((2, 4, 5, 6), (6, 2, 3, 3), {"groups": 2, "paddings": [1, 1]}, True),
    "depthwise": ((1, 4, 6, 5), (4, 1, 3, 3), {"groups": 4, "paddings": [1, 1]}, True),
    "wide filter": ((1, 2, 5, 6), (2, 2, 1, 5), {"paddings": [0, 2]}, False),
}


def _pads(paddings: Sequence[int]) -> list[int]:
    """ONNX's order of Paddle's paddings."""
    top, bottom, left, right = paddings if len(paddings) == 4 else (paddings[0],) * 2 + (paddings[1],) * 2
    return [top, left, bottom, right]


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    image, weights, attrs, has_bias = CONVOLUTIONS[name]
    settings = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1, **attrs}
    x, w, bias = random(*image), random(*weights, seed=1), random(weights[0], seed=2)
    inputs = {"Input": [x], "Filter": [w], **({"Bias": [bias]} if has_bias else {})}
    (expected,) = reference(
        "Conv",
        [x, w, *([bias] if has_bias else [])],
        kernel_shape=list(weights[2:]),
        strides=settings["strides"],
        dilations=settings["dilations"],
        group=settings["groups"],
        pads=_pads(settings["paddings"]),
    )
    check(computed("conv2d", inputs, settings, "Output"), expected)


@pytest.mark.parametrize(
    ("weights", "attrs"),
    [
        ((4, 3, 3, 3), {"strides": [2, 2], "paddings": [1, 1]}),
        ((4, 2, 3, 3), {"groups": 2}),
        ((4, 2, 2, 3), {"groups": 2, "strides": [2, 2]}),
        ((4, 3, 3, 3), {"paddings": [1, 0, 0, 1]}),
    ],
)
def test_transposed_convolutions(weights: tuple[int, ...], attrs: dict[str, Any]) -> None:
    settings = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1, **attrs}
    x, w, groups = random(2, 4, 4, 5), random(*weights, seed=1), settings["groups"]
    # ONNX's reference implementation takes one group.
    parts = [
        reference(
            "ConvTranspose",
            [image, part],
            kernel_shape=list(weights[2:]),
            strides=settings["strides"],
            pads=_pads(settings["paddings"]),
        )[0]
        for image, part in zip(np.split(x, groups, 1), np.split(w, groups, 0), strict=True)
    ]
    got = computed("conv2d_transpose", {"Input": [x], "Filter": [w]}, settings, "Output")
    check(got, np.concatenate(parts, 1))


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize(
    "attrs",
    [
        {"ksize": [3, 3], "paddings": [1, 1]},
        {"ksize": [3, 3], "paddings": [1, 1], "exclusive": False},
        {"ksize": [3, 2], "paddings": [1, 0, 0, 1]},
        {"ksize": [2, 3], "strides": [2, 2]},
        {"ksize": [7, 6]},
    ],
)
def test_pools(kind: str, attrs: dict[str, Any]) -> None:
    settings = {"pooling_type": kind, "strides": [1, 1], "paddings": [0, 0], "exclusive": True, **attrs}
    x = random(2, 3, 7, 6)
    padding = {} if kind == "max" else {"count_include_pad": int(not settings["exclusive"])}
    (expected,) = reference(
        "MaxPool" if kind == "max" else "AveragePool",
        [x],
        kernel_shape=settings["ksize"],
        strides=settings["strides"],
        pads=_pads(settings["paddings"]),
        **padding,
    )
    check(computed("pool2d", {"X": [x]}, settings), expected)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_global_pools(kind: str) -> None:
    x = random(2, 3, 6, 4)
    whole = computed("pool2d", {"X": [x]}, {"pooling_type": kind, "ksize": [1, 1], "global_pooling": True})
    check(whole, (np.max if kind == "max" else np.mean)(x, axis=(2, 3), keepdims=True))


def test_adaptive_averages() -> None:
    x = random(2, 3, 6, 4)
    attrs = {"pooling_type": "avg", "ksize": [2, 2], "adaptive": True}
    check(computed("pool2d", {"X": [x]}, attrs), x.reshape(2, 3, 2, 3, 2, 2).mean(axis=(3, 5)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_tensors_are_joined_in_order(axis: int) -> None:
    parts = [random(2, 3, 4, seed=n) for n in range(3)]
    check(computed("concat", {"X": parts}, {"axis": axis}), np.concatenate(parts, axis))
    other = random(*[5 if n == axis % 3 else size for n, size in enumerate((2, 3, 4))], seed=4)
    check(
        computed("concat", {"X": [parts[0], other]}, {"axis": axis}), np.concatenate([parts[0], other], axis)
    )


@pytest.mark.parametrize("value", [0.0, 1.5])
def test_paddings_have_a_value(value: float) -> None:
    attrs = {"paddings": [0, 1, 0, 2], "value": value, "mode": "constant"}
    check(
        computed("pad_nd", {"X": [random(3, 4)]}, attrs),
        np.pad(random(3, 4), ((0, 0), (1, 2)), constant_values=np.float32(value)),
    )


def test_tensors_are_repeated() -> None:
    x = random(2, 3, 4)
    check(computed("tile", {"X": [x]}, {"repeat_times": [1, 2, 3]}), np.tile(x, (1, 2, 3)))


def test_axes_are_reversed() -> None:
    x = random(2, 3, 4)
    check(computed("flip", {"X": [x]}, {"axis": [0, 2]}), x[::-1, :, ::-1])


def test_slices_of_an_axis_are_separate() -> None:
    x = random(2, 3, 4)
    results = kernel.evaluate("unstack", {"X": [x]}, {"axis": 1, "num": 3}, {"Y": 3})["Y"]
    for number, result in enumerate(results):
        check(result.array, x[:, number])
