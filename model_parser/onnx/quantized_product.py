"""Products of quantised matrices: exact sums, and their scales."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.quantized_operand import Quantization

Operand = tuple[str, Quantization]
"""The name of a quantised matrix, and its scale and zero point."""


def float_product(
    writer: BlockWriter, first: Operand, second: Operand, bias: str | None = None, out: str | None = None
) -> str:
    """The product of two quantised matrices as float32, plus a bias; its name, which is `out` if given."""
    total = integer_sums(writer, first, second)
    real = scaled(writer, total, first[1].scale, second[1].scale, 1.0, out if bias is None else None)
    return real if bias is None else writer.binary("elementwise_add", real, bias, out=out)


def scaled(writer: BlockWriter, total: str, first: str, second: str, alpha: float, out: str | None) -> str:
    """A sum of integers in float32 times ``alpha · first · second``, whose product is computed first."""
    factor = first if alpha == 1 else writer.unary("scale", first, {"scale": alpha})
    factor = writer.binary("elementwise_mul", factor, second)
    return writer.binary("elementwise_mul", writer.cast(total, DType.FLOAT32), factor, out=out)


def integer_sums(writer: BlockWriter, first: Operand, second: Operand) -> str:
    """The product of two quantised matrices less their zero points, int32."""
    (a, a_quantization), (b, b_quantization) = first, second
    out = writer.new_name(a)
    inputs = {
        "X": a,
        "Y": b,
        "XZeroPoint": a_quantization.zero_point,
        "YZeroPoint": b_quantization.zero_point,
    }
    writer.emit("integer_matmul", inputs, {"Out": out})
    return out


def as_column(writer: BlockWriter, name: str) -> str:
    """A vector as a column; any other value unchanged."""
    return writer.unary("unsqueeze2", name, {"axes": [1]}) if writer.rank(name) == 1 else name


def axis_size(writer: BlockWriter, name: str, axis: int) -> int | None:
    """The size of an axis; None where it is unknown."""
    shape = writer.shape(name)
    if shape is None or not -len(shape) <= axis < len(shape):
        return None
    size = shape[axis]
    return size if isinstance(size, int) else None
