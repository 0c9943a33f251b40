"""Scales and zero points of quantised operands: checks, and the ops that dequantise and quantise.

The results are rounded as ONNX Runtime's kernels round them, which differ: some compute in float32 and
some in integers, of which float64 holds the exact result; some add the zero point before they round.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.ops.view import product


@dataclass(frozen=True)
class Quantization:
    """The names of a scale and of a zero point; without a zero point it is 0."""

    scale: str
    zero_point: str | None
    dtype: DType


def read_quantization(
    node: OnnxNode,
    writer: BlockWriter,
    dtype: DType,
    scale: int,
    zero_point: int,
    *,
    count: int | None = 1,
    is_positive: bool = True,
) -> Quantization:
    """The scale and zero point at two positions, for data of `dtype`.

    `count` is the number of slices that may have a scale of their own; None does not check it.  Raises
    `ModelParseError` for a scale that is missing, not finite or, with `is_positive`, not positive, for wrong
    numbers of elements, and for a zero point whose type is not `dtype`.
    """
    name, zero = node.input(scale), node.optional(zero_point)
    check_scale(node, writer, scale, count, is_positive=is_positive)
    if zero is not None:
        _check_count(node, writer, zero_point, "zero point", count)
        zero_dtype, _ = writer.type_of(zero)
        if zero_dtype not in (None, dtype):
            raise node.error(
                f"input {zero_point} ({zero!r}), a zero point: expected {dtype}, as its data has, got "
                f"{zero_dtype}; store it as {dtype}"
            )
    return Quantization(name, zero, dtype)


def check_scale(
    node: OnnxNode, writer: BlockWriter, position: int, count: int | None, *, is_positive: bool = True
) -> None:
    """Raise `ModelParseError` where a scale is missing, has a wrong length or a value that is not valid."""
    name = node.input(position)
    _check_count(node, writer, position, "scale", count)
    scale = writer.constant(name)
    if scale is None:
        return
    numbers = scale.astype(np.float64).reshape(-1)
    invalid = np.flatnonzero(~(np.isfinite(numbers) & ((numbers > 0) | (not is_positive))))
    if invalid.size:
        expected = "finite numbers greater than 0" if is_positive else "finite numbers"
        raise node.error(
            f"input {position} ({name!r}), a scale: expected {expected}, got "
            f"{numbers[invalid[0]]:g} at element {invalid[0]} of {numbers.size}; quantise the model again"
        )


def _check_count(node: OnnxNode, writer: BlockWriter, position: int, role: str, count: int | None) -> None:
    name = node.inputs[position]
    shape = writer.shape(name)
    elements = None if shape is None else product(shape)
    if count is None or elements is None or elements in (1, count):
        return
    if count != 1 and shape is not None and len(shape) > 1:
        return  # One per slice of several axes, as QLinearMatMul allows; the shape rules check it.
    expected = "1 element" if count == 1 else f"1 or {count} elements"
    raise node.error(
        f"input {position} ({name!r}), a {role}: expected {expected}, got {elements}; quantise the model "
        "again"
    )


def dequantize(
    writer: BlockWriter,
    name: str,
    quantization: Quantization,
    dtype: DType = DType.FLOAT32,
    out: str | None = None,
) -> str:
    """Add an `affine_dequantize` of one scale that computes in `dtype`, and return its result."""
    out = out or writer.new_name(name)
    scale = converted(writer, quantization.scale, dtype)
    inputs = {"X": name, "Scale": scale, "ZeroPoint": quantization.zero_point}
    writer.emit("affine_dequantize", inputs, {"Out": out})
    return out


def quantize(
    writer: BlockWriter, name: str, quantization: Quantization, out: str, *, zero_point_first: bool = False
) -> None:
    """Add an `affine_quantize` of one scale.

    With `zero_point_first`, halves are rounded to even after the zero point is added, not before it.  Both
    are the same for an even zero point.
    """
    attrs: dict[str, AttrValue] = {"dtype": quantization.dtype.code}
    scale, zero = quantization.scale, quantization.zero_point
    if not zero_point_first or zero is None or _is_even(writer, zero):
        inputs = {"X": name, "Scale": scale, "ZeroPoint": zero}
        writer.emit("affine_quantize", inputs, {"Out": out}, attrs)
        return
    dtype = writer.dtype(name)
    quotient = writer.binary("elementwise_div", name, converted(writer, scale, dtype))
    shifted = writer.binary("elementwise_add", quotient, converted(writer, zero, dtype))
    one = writer.weight(np.ones((), np.float32), scale)
    writer.emit("affine_quantize", {"X": shifted, "Scale": one}, {"Out": out}, attrs)


def converted(writer: BlockWriter, name: str, dtype: DType) -> str:
    """The value in another element type; a constant becomes another constant."""
    if writer.type_of(name)[0] == dtype:
        return name
    array = writer.constant(name)
    return writer.cast(name, dtype) if array is None else writer.weight(array.astype(dtype.numpy), name)


def _is_even(writer: BlockWriter, zero_point: str) -> bool:
    array = writer.constant(zero_point)
    return array is not None and not np.any(array.astype(np.int64) % 2)
