"""Graphs with QUANTIZE and DEQUANTIZE, computed in integers."""

from __future__ import annotations

import numpy as np

from lite.emission.tflite.builder import Builder, Tensor, plain
from lite.ir.graph import Quant
from lite.ir.types import Array, DType
from lite.ops.view import Meta

HALF = Quant((0.5,), (0,), -1, DType.INT8)
TENTH = Quant((0.1,), (3,), -1, DType.INT8)


def rounded(b: Builder, name: str, tensor: Tensor, quant: Quant = HALF) -> Tensor:
    return b.rounded(name, tensor, Meta(DType.FLOAT32, tensor.shape, quant=quant))


def start(b: Builder, *shape: int, quant: Quant = HALF) -> Tensor:
    return rounded(b, "x", b.input("x", Meta(DType.FLOAT32, shape)), quant)


def weight(b: Builder, stored: Array, scales: tuple[float, ...], zero: int = 0) -> Tensor:
    quant = Quant(scales, (zero,) * len(scales), 0 if len(scales) > 1 else -1, DType.INT8)
    return b.quantized_constant("w", stored.astype(np.int8), Meta(DType.FLOAT32, stored.shape, quant=quant))


def operators(b: Builder) -> list[tuple[str, str]]:
    """Each operator with the element type of its last input that is no index."""
    return [
        (operator.code, str(next(each for each in operator.inputs if each).dtype))
        for operator in b.finished().operators
    ]


def connected(b: Builder, x: Tensor, w: Tensor, bias: Array | None = None) -> Tensor:
    shift = None if bias is None else b.form(b.array(bias))
    rows = b.form(x)
    stored = b.add("FULLY_CONNECTED", [rows, b.form(w), shift], (*x.shape[:-1], w.shape[0]))
    return b.wrap(stored)


def test_a_graph_without_quantised_values_is_unchanged() -> None:
    b = Builder()
    b.output("y", b.unary("RELU", b.input("x", Meta(DType.FLOAT32, (2,)))))

    assert b.finished() is b.graph


def test_a_product_with_bias_and_relu_is_one_operator() -> None:
    b = Builder()
    product = connected(b, start(b, 2, 3), weight(b, np.ones((4, 3)), (0.25, 0.5, 1.0, 2.0)))
    biased = b.binary("ADD", product, b.array(np.array([1, 2, 3, -4], np.float32)))
    b.output("y", rounded(b, "y", b.unary("RELU", biased), TENTH))

    graph = b.finished()

    assert operators(b) == [("QUANTIZE", "float32"), ("FULLY_CONNECTED", "int8"), ("DEQUANTIZE", "int8")]
    product_in_integers = graph.operators[1]
    _, integers, bias = product_in_integers.inputs
    assert product_in_integers.options == {"activation": 1}
    assert integers is not None
    assert bias is not None
    assert integers.quant is not None
    assert bias.quant is not None
    np.testing.assert_array_equal(integers.array, np.ones((4, 3), np.int8))
    np.testing.assert_array_equal(integers.quant.scales, [0.25, 0.5, 1, 2])
    np.testing.assert_array_equal(bias.quant.scales, [0.125, 0.25, 0.5, 1])
    np.testing.assert_array_equal(bias.array, np.array([8, 8, 6, -4], np.int32))


def test_the_axis_of_scales_follows_a_transpose() -> None:
    b = Builder()
    w = weight(b, np.ones((3, 4)), (1.0, 2.0, 3.0))

    stored = b.form(b.transpose(w, (1, 0)), plain(2))

    assert stored.integers_of is not None
    assert stored.integers_of.axis == 1


def test_weights_with_a_zero_point_stay_real() -> None:
    b = Builder()
    product = connected(b, start(b, 2, 3), weight(b, np.ones((4, 3)), (0.5,), zero=2))
    b.output("y", rounded(b, "y", product))

    assert ("FULLY_CONNECTED", "float32") in operators(b)


def test_a_result_with_two_readers_stays_real() -> None:
    b = Builder()
    product = connected(b, start(b, 2, 3), weight(b, np.ones((4, 3)), (0.5,)))
    b.output("y", rounded(b, "y", product))
    b.output("z", product)

    assert ("FULLY_CONNECTED", "float32") in operators(b)


def test_moved_integers_need_no_quantize() -> None:
    b = Builder()
    moved = b.reshape(b.slice(start(b, 2, 4), {1: 1}, {1: 2}), (4,))
    b.output("y", moved)

    assert operators(b) == [
        ("QUANTIZE", "float32"),
        ("SLICE", "int8"),
        ("RESHAPE", "int8"),
        ("DEQUANTIZE", "int8"),
    ]


def test_equal_quantisations_are_one() -> None:
    b = Builder()
    b.output("y", b.unary("EXP", rounded(b, "again", start(b, 2))))

    assert [code for code, _ in operators(b)] == ["QUANTIZE", "DEQUANTIZE", "EXP"]


def test_a_fixed_scale_is_quantised_again() -> None:
    b = Builder()
    b.output("y", rounded(b, "y", b.unary("LOGISTIC", start(b, 2))))

    graph = b.finished()

    assert operators(b) == [
        ("QUANTIZE", "float32"),
        ("LOGISTIC", "int8"),
        ("QUANTIZE", "int8"),
        ("DEQUANTIZE", "int8"),
    ]
    quant = graph.operators[1].outputs[0].quant
    assert quant is not None
    assert (quant.scales.tolist(), quant.zeros.tolist()) == ([1 / 256], [-128])


def test_uint8_becomes_int8_of_the_same_numbers() -> None:
    b = Builder()
    start(b, 2, quant=Quant((0.5,), (130,), -1, DType.UINT8))

    quant = b.graph.operators[0].outputs[0].quant
    assert quant is not None
    assert (b.graph.operators[0].outputs[0].dtype, quant.zeros.tolist()) == (DType.INT8, [2])
