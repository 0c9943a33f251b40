"""Quantised tensors and layers: QDQ chains, QLinear ops, products with packed weights.

Scales are powers of two, so that all sums are exact and every half is rounded as the reference rounds it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row

_CONTRIB = "com.microsoft"

_ZERO_POINT_LIMITS = {"uint8": (0, 40), "int8": (-20, 20), "uint16": (0, 1000), "int16": (-500, 500)}


def _scale_and_zero(d: Draw, dtype: str, low: int = -6, high: int = -3, step: int = 1) -> list[Value]:
    """A scale of one element, and a zero point that is a multiple of `step`.

    ONNX Runtime optimises Add to QLinearAdd, which rounds halves differently where the zero point is odd.
    """
    scale = np.array(2.0 ** d.integer(low, high), np.float32)
    zero = np.array(d.integer(*_ZERO_POINT_LIMITS[dtype]) // step * step, dtype)
    if d.chance(0.3):
        scale, zero = scale.reshape(1), zero.reshape(1)
    return [d.constant(scale), d.constant(zero)]


def _quantized(d: Draw, rank: int, dtype: str) -> tuple[Value, list[Value]]:
    """A quantised value, and its scale and zero point."""
    x = d.value(rank=rank, where=lambda v: v.is_exact and 0 not in v.shape)
    numbers = _scale_and_zero(d, dtype)
    return d.node("QuantizeLinear", [x, *numbers]), numbers


def _real(d: Draw, quantized: Value, numbers: list[Value], *, exact: bool = False) -> Value:
    """The numbers of a quantised value.

    No row quantises them again: ONNX Runtime drops such pairs when it optimises, and loses a rounding.
    """
    return d.node("DequantizeLinear", [quantized, *numbers], exact=exact)


@row(0.3)
def quantize_dequantize_layer(d: Draw) -> Value:
    """Conv, MatMul or Add between DequantizeLinear and QuantizeLinear."""
    kind = d.pick(("Conv", "MatMul", "Add"))
    dtype = d.pick(("uint8", "int8", "uint16", "int16") if d.opset >= 21 else ("uint8", "int8"))
    quantized, numbers = _quantized(d, 4 if kind == "Conv" else 2, dtype)
    x = _real(d, quantized, numbers, exact=True)
    if kind == "Add":
        second = x
    else:
        shape = (d.integer(1, 4), x.shape[1], 1, 1) if kind == "Conv" else (x.shape[1], d.integer(1, 5))
        # ONNX Runtime quantises constant weights of Conv again when it optimises, with other scales.
        stored = d.pick(("int8", "uint8"))
        weights = d.array(shape, stored)
        weight = d.input(weights) if kind == "Conv" else d.constant(weights)
        scale = _scale_and_zero(d, "int8")[0]
        zero = d.constant(np.zeros(scale.shape, stored))
        second = _real(d, weight, [scale, zero], exact=True)
    attrs: dict[str, Any] = {"kernel_shape": [1, 1]} if kind == "Conv" else {}
    result = d.node(kind, [x, second], exact=True, **attrs)
    target = _scale_and_zero(d, dtype, -3, 0, step=2 if kind == "Add" else 1)
    return _real(d, d.node("QuantizeLinear", [result, *target]), target)


@row(0.3)
def qlinear_binary(d: Draw) -> Value:
    """QLinearAdd and QLinearMul."""
    dtype = d.pick(("uint8", "int8"))
    x, numbers = _quantized(d, d.integer(1, 4), dtype)
    second = d.constant(d.array(x.shape[-1:], dtype))
    target = _scale_and_zero(d, dtype)
    inputs = [x, *numbers, second, *_scale_and_zero(d, dtype), *target]
    op = d.pick(("QLinearAdd", "QLinearMul"))
    return _real(d, d.node(op, inputs, domain=_CONTRIB), target)


@row(0.3)
def qlinear_unary(d: Draw) -> Value:
    """QLinear poolings and activations."""
    dtype = d.pick(("uint8", "int8"))
    op = d.pick(("QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearSigmoid"))
    x, numbers = _quantized(d, 4, dtype)
    target = _scale_and_zero(d, dtype)
    attrs: dict[str, Any] = {}
    if op == "QLinearAveragePool":
        attrs = {"kernel_shape": [d.integer(1, min(2, size)) for size in x.shape[2:]]}
    elif op == "QLinearLeakyRelu":
        attrs = {"alpha": 0.25}
    return _real(d, d.node(op, [x, *numbers, *target], domain=_CONTRIB, **attrs), target)


@row(0.2)
def qlinear_matmul(d: Draw) -> Value:
    """QLinearMatMul and QGemm."""
    dtype = d.pick(("uint8", "int8"))
    x, numbers = _quantized(d, 2, dtype)
    weight = d.constant(d.array((x.shape[1], d.integer(1, 5)), "int8"))
    weight_numbers = _scale_and_zero(d, "int8")
    target = _scale_and_zero(d, dtype, -3, 0)
    inputs: list[Value | None] = [x, *numbers, weight, *weight_numbers]
    if d.chance(0.5):
        return _real(d, d.node("QLinearMatMul", [*inputs, *target]), target)
    bias = d.constant(d.array((weight.shape[1],), "int32")) if d.chance(0.5) else None
    return _real(d, d.node("QGemm", [*inputs, bias, *target], domain=_CONTRIB), target)


@row(0.3)
def quantize(d: Draw) -> Value:
    """QuantizeLinear → DequantizeLinear per tensor and per axis, and DynamicQuantizeLinear."""
    x = d.value(low=1, where=lambda v: v.is_exact and 0 not in v.shape)
    if d.opset >= 11 and d.chance(0.2):
        y, scale, zero = d.nodes_outputs("DynamicQuantizeLinear", [x], 3)
        return d.node("DequantizeLinear", [y, scale, zero], exact=False)
    dtype = d.pick(("int8", "uint8"))
    size: tuple[int, ...] = ()
    attrs: dict[str, Any] = {}
    if d.opset >= 13 and d.chance(0.4):
        axis = d.integer(0, x.rank - 1)
        size = (x.shape[axis],)
        attrs = {"axis": axis}
    scale = d.constant((np.abs(d.array(size)) * np.float32(0.03) + np.float32(0.0078125)).astype(np.float32))
    zero = d.constant(d.array(size, dtype))
    y = d.node("QuantizeLinear", [x, scale, zero], **attrs)
    return d.node("DequantizeLinear", [y, scale, zero], **attrs)


@row(0.15)
def integer_products(d: Draw) -> Value:
    """MatMulInteger and ConvInteger."""
    kind = d.pick(("int8", "uint8"))
    if d.chance(0.5):
        a, b = d.fresh(d.array((2, 3), "uint8")), d.constant(d.array((3, 4), kind))
        zeros = [d.constant(np.uint8(3))] if d.chance(0.6) else []
        return d.node("MatMulInteger", [a, b, *zeros])
    x, w = d.fresh(d.array((1, 2, 4, 4), "uint8")), d.constant(d.array((3, 2, 2, 2), kind))
    return d.node("ConvInteger", [x, w])
