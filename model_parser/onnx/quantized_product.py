"""Products of quantised matrices by ops on float64, in which sums of products of 8-bit integers are exact."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.quantized_operand import Quantization, converted

Operand = tuple[str, Quantization]
"""The name of a quantised matrix, and its scale and zero point."""


def float_product(
    writer: BlockWriter, first: Operand, second: Operand, bias: str | None = None, out: str | None = None
) -> str:
    """The product of two quantised matrices as float32, plus a bias; its name, which is `out` if given."""
    (a, a_quantization), (b, b_quantization) = first, second
    product = writer.binary(
        "matmul_v2",
        centred(writer, a, a_quantization.zero_point, rows=True),
        centred(writer, b, b_quantization.zero_point, rows=False),
    )
    real = scaled(
        writer, product, a_quantization.scale, b_quantization.scale, 1.0, out if bias is None else None
    )
    return real if bias is None else writer.binary("elementwise_add", real, bias, out=out)


def scaled(writer: BlockWriter, total: str, first: str, second: str, alpha: float, out: str | None) -> str:
    """A sum of integers in float32 times ``alpha · first · second``, whose product is computed first."""
    factor = first if alpha == 1 else writer.unary("scale", first, {"scale": alpha})
    factor = writer.binary("elementwise_mul", factor, second)
    return writer.binary("elementwise_mul", writer.cast(total, DType.FLOAT32), factor, out=out)


def centred(writer: BlockWriter, name: str, zero_point: str | None, *, rows: bool) -> str:
    """A quantised matrix minus its zero point, as float64.

    A vector of zero points has one for each row (`rows`) or one for each column.
    """
    matrix = writer.cast(name, DType.FLOAT64)
    if zero_point is None:
        return matrix
    zero_point = as_column(writer, zero_point) if rows else zero_point
    return writer.binary("elementwise_sub", matrix, converted(writer, zero_point, DType.FLOAT64))


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
