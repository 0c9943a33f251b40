"""Quantised numbers in naive buffers, by Paddle's ops: stored weights, casts to int8, and ops on int8.

A scale s of Paddle-Lite is the real value of 1; Paddle's quantize_linear takes the real value of 127.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Op
from lite.ir.types import Array
from lite.model_parser.paddlelite_nb.recorded_kernel import RecordedKernel
from lite.model_parser.paddlelite_nb.rewriter import Rewriter, integer

_MOST = 127
_FILTERS = ("conv2d", "depthwise_conv2d")
_STORED = ("post_weight_abs_max", "post_weight_channel_wise_abs_max")
"""Kinds of quantisation that store weights as integers and compute with real numbers."""


def restore_stored_weights(op: Op, rewriter: Rewriter) -> None:
    """Give an op its weights as real numbers where the file stores integers.

    ::

        conv2d(Filter=w int8, w_quant_scale=[s]) -> v = affine_dequantize(w, s); conv2d(Filter=v)
    """
    kind = op.attr("quantization_type")
    if kind not in _STORED if kind is not None else "quantize_weight_bits" not in op.attrs:
        return
    for slot, names in op.inputs.items():
        for number, name in enumerate(names):
            scales = _numbers(op, f"{name.split('/target_trans')[0]}_quant_scale")
            weight = rewriter.program.weights.get(name)
            if scales is not None and weight is not None and weight.array.dtype.kind == "i":
                axis = 0 if op.type in _FILTERS else weight.array.ndim - 1
                op.inputs[slot][number] = _restored(name, scales, axis, "affine_dequantize", rewriter)


def quantise(source: str, target: str, scale: float, rewriter: Rewriter) -> None:
    """Write `target` as the integers round(source / scale) from -127 to 127, halves away from zero."""
    attrs = {"quant_axis": integer(-1), "round_type": integer(1), "bit_length": integer(8)}
    inputs = {"X": [source], "Scale": [_scale([scale], rewriter)]}
    rewriter.emit("quantize_linear", inputs, {"Y": [target]}, attrs)
    rewriter.quantised.add(target)


def dequantise(source: str, target: str, scale: float, rewriter: Rewriter) -> None:
    """Write `target` as source · scale."""
    inputs = {"X": [source], "Scale": [_scale([scale], rewriter)]}
    attrs = {"quant_axis": integer(-1), "bit_length": integer(8)}
    rewriter.emit("dequantize_linear", inputs, {"Y": [target]}, attrs)
    rewriter.quantised.discard(target)


def single_scale(op: Op, name: str) -> float:
    """The attribute that is one scale; raises `ModelParseError` unless it is one positive number."""
    scales = _numbers(op, name)
    if scales is None or len(scales) != 1 or not 0 < scales[0] < np.inf:
        raise ModelParseError(f"attribute {name}: expected one positive scale, got {op.attr(name)}")
    return float(scales[0])


class Rounding(NamedTuple):
    """A quantisation that follows an op: `name` gets the integers of `real`."""

    real: str
    name: str
    scale: float


def on_real_numbers(op: Op, kernel: RecordedKernel, rewriter: Rewriter) -> list[Rounding] | None:
    """Give an op on int8 real numbers as operands; the roundings that follow it.

    ::

        y = conv2d/int8_out(x, w, Input0_scale=a, Filter0_scale=[b], Output0_scale=c)
        ->
        xr = dequantize_linear(x, a)
        wr = dequantize_linear(w, b)
        yr = conv2d(xr, wr)
        y = quantize_linear(yr, c)

    None for an op without scales, which moves or compares integers and is left as it is.
    """
    scaled = [
        (slot, number, name, scales)
        for slot, names in op.inputs.items()
        for number, name in enumerate(names)
        if (scales := _numbers(op, f"{slot}{number}_scale")) is not None
    ]
    if not scaled:
        return None
    for slot, number, name, scales in scaled:
        weight = rewriter.program.weights.get(name)
        if weight is not None and weight.array.dtype == np.int8:
            axis = _weight_axis(op, weight.array)
            op.inputs[slot][number] = _restored(name, scales, axis, "dequantize_linear", rewriter)
        elif name in rewriter.quantised:
            real = rewriter.fresh(f"{name}/real")
            dequantise(name, real, single_scale(op, f"{slot}{number}_scale"), rewriter)
            op.inputs[slot][number] = real
    roundings = []
    for slot, names in op.outputs.items():
        for number, name in enumerate(names):
            scale = f"{slot}{number}_scale"
            if "fp32" not in kernel.alias and ("int8" in kernel.alias or scale in op.attrs):
                real = rewriter.fresh(f"{name}/real")
                op.outputs[slot][number] = real
                roundings.append(Rounding(real, name, single_scale(op, scale)))
    return roundings


def _weight_axis(op: Op, weight: Array) -> int:
    """The axis of a weight along which its scales are: that of the outputs."""
    if op.type in _FILTERS:
        return 0
    if op.type in ("conv2d_transpose", "depthwise_conv2d_transpose"):
        return 1
    is_transposed = op.attr("trans_y") or op.attr("transpose_Y")
    return weight.ndim - 2 if is_transposed and weight.ndim > 1 else weight.ndim - 1


def _restored(name: str, scales: Array, axis: int, op: str, rewriter: Rewriter) -> str:
    """A variable with the real numbers of an integer weight: one scale, or one for each slice of `axis`."""
    shape = rewriter.program.weights[name].array.shape
    if len(scales) != 1 and not (0 <= axis < len(shape) and len(scales) == shape[axis]):
        raise ModelParseError(
            f"weight {name!r}: expected one scale or one for each slice of axis {axis} of {list(shape)}, got "
            f"{len(scales)}"
        )
    real = rewriter.fresh(f"{name}/real")
    if op == "affine_dequantize":
        scale = rewriter.constant(f"{name}/scale", scales)
        rewriter.emit(op, {"X": [name], "Scale": [scale]}, {"Out": [real]}, {"axis": integer(max(axis, 0))})
        return real
    attrs = {"quant_axis": integer(-1 if len(scales) == 1 else axis), "bit_length": integer(8)}
    inputs = {"X": [name], "Scale": [_scale(scales, rewriter)]}
    rewriter.emit(op, inputs, {"Y": [real]}, attrs)
    return real


def _scale(scales: Array | Sequence[float], rewriter: Rewriter) -> str:
    most = np.asarray(scales, np.float32) * np.float32(_MOST)
    return rewriter.constant(f"scale_{len(rewriter.program.weights)}", most)


def _numbers(op: Op, name: str) -> Array | None:
    """An attribute that is one or several floating point numbers; None for another one."""
    attribute: Attribute | None = op.attrs.get(name)
    if attribute is None or attribute.type not in (AttrType.FLOAT, AttrType.FLOATS):
        return None
    return np.atleast_1d(np.array(attribute.value, np.float32))
