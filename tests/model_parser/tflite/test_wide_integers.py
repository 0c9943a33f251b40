"""Layers with activations of 16 bits, whose biases have 64, equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import DType
from lite.model_parser.tflite.tensors import Quantisation
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, Case, noise, quantised

IN, OUT = (0.001, 0), (0.004, 0)
RNG = np.random.default_rng(0)


def layer(op: str, x: Array, weights: Array, out: tuple[int, ...], axis: int, scales: Array) -> Case:
    """A layer of 16 bits with weights of 8; `scales` of the weights along an axis."""
    builder = TfliteBuilder()
    source = builder.tensor("x", x.shape, "int16", scale=IN[0])
    kernel = builder.constant("w", weights, scale=scales, zero=[0] * len(scales), axis=axis)
    bias = RNG.integers(-(10**5), 10**5, weights.shape[axis])
    added = builder.constant("b", bias, scale=scales * np.float32(IN[0]), zero=[0] * len(scales))
    y = builder.tensor("y", out, "int16", scale=OUT[0])
    options = {"CONV_2D": {0: ("b", 0), 1: ("i", 1), 2: ("i", 1), 3: ("b", 1)}}
    options["DEPTHWISE_CONV_2D"] = {0: ("b", 0), 1: ("i", 1), 2: ("i", 1), 3: ("i", 1)}
    builder.op(op, [source, kernel, added], [y], options.get(op))
    return Case(op, builder.model([source], [y]), [quantised(x, IN, "int16")])


@pytest.mark.parametrize("scales", [1, 6])
def test_fully_connected(scales: int) -> None:
    weights = RNG.integers(-127, 128, (6, 8)).astype(np.int8)
    numbers = RNG.uniform(0.002, 0.004, scales).astype(np.float32)
    check(layer("FULLY_CONNECTED", noise(3, 8), weights, (3, 6), 0, numbers), step=1)


def test_convolution() -> None:
    weights = RNG.integers(-127, 128, (6, 3, 3, 4)).astype(np.int8)
    numbers = RNG.uniform(0.002, 0.004, 6).astype(np.float32)
    check(layer("CONV_2D", noise(1, 5, 7, 4), weights, (1, 5, 7, 6), 0, numbers), step=1)


def test_depthwise_convolution() -> None:
    weights = RNG.integers(-127, 128, (1, 3, 3, 4)).astype(np.int8)
    numbers = RNG.uniform(0.002, 0.004, 4).astype(np.float32)
    check(layer("DEPTHWISE_CONV_2D", noise(1, 5, 7, 4), weights, (1, 5, 7, 4), 3, numbers), step=1)


def test_the_numbers_of_integers_beyond_float32() -> None:
    integers = np.array([[2**40 + 1, -3], [0, 7]])
    one = Quantisation(np.array([0.5], np.float32), np.array([1]), 0)
    each = Quantisation(np.array([0.5, 2], np.float32), np.array([1, 0]), 1)

    assert one.real(integers).tolist() == [[2.0**39, -2], [-0.5, 3]]
    assert each.real(integers).tolist() == [[2.0**39, -6], [-0.5, 14]]
    assert DType.from_numpy(one.real(integers).dtype) is DType.FLOAT32
