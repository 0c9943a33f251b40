"""MatMulNBits: products with a matrix of 4- or 8-bit numbers that has a scale per block of a row."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import check_scale
from lite.model_parser.onnx.translations import onnx_op


@onnx_op("com.microsoft.MatMulNBits")
def matmul_nbits(node: OnnxNode, writer: BlockWriter) -> None:
    """``A · Bᵀ + bias``, where `affine_dequantize` by blocks gives B ``[N, K]``.

    The attribute accuracy_level is ignored: products are computed in the type of A.
    """
    bits, block = node.integer("bits", 4), node.integer("block_size", 0)
    rows, columns = node.integer("N", 0), node.integer("K", 0)
    if bits not in (4, 8):
        raise node.error(f"attribute bits: expected 4 or 8, got {bits}; quantise the model again")
    if block < 1 or rows < 1 or columns < 1:
        raise node.error(
            f"attributes block_size, N and K: expected 1 or more, got {block}, {rows} and {columns}"
        )
    blocks = -(-columns // block)
    check_scale(node, writer, 2, None)
    packed = _constant(node, writer, 1, rows * blocks * block * bits // 8).reshape(rows, blocks, -1)
    numbers = _unpacked(packed, bits).reshape(rows, blocks * block)[:, :columns]
    scale = _constant(node, writer, 2, rows * blocks).reshape(rows, blocks)
    zero_point = _zero_points(node, writer, bits, rows, blocks)
    matrix = writer.new_name(node.input(1))
    groups = node.optional(4)
    if groups is not None or zero_point.dtype != np.uint8:
        indices = np.arange(columns) // block
        if groups is not None:
            indices = _constant(node, writer, 4, None).reshape(-1)[:columns].astype(np.int64)
            if indices.size != columns or indices.min() < 0 or indices.max() >= blocks:
                raise node.error(
                    f"input 4 ({groups!r}): expected {columns} block numbers from 0 to {blocks - 1}, got "
                    f"{indices.size} from {indices.min(initial=0)} to {indices.max(initial=0)}"
                )
        compute = np.promote_types(scale.dtype, np.float32)
        centred = numbers.astype(compute) - zero_point.astype(compute)[:, indices]
        matrix = writer.weight((centred * scale[:, indices]).astype(scale.dtype), node.input(1))
    else:
        writer.emit(
            "affine_dequantize",
            {
                "X": writer.weight(np.ascontiguousarray(numbers), node.input(1)),
                "Scale": writer.weight(scale, node.input(2)),
                "ZeroPoint": writer.weight(zero_point, node.input(1)),
            },
            {"Out": matrix},
            {"axis": 1, "block_size": block},
        )
    bias = node.optional(5)
    out = node.output() if bias is None else writer.new_name(node.output())
    writer.binary("matmul_v2", node.input(0), matrix, {"trans_y": True}, out)
    if bias is not None:
        writer.binary("elementwise_add", out, bias, out=node.output())


def _constant(node: OnnxNode, writer: BlockWriter, position: int, count: int | None) -> Array:
    """The elements of an input that must be constant."""
    name = node.input(position)
    array = writer.constant(name)
    if array is None:
        raise node.error(
            f"input {position} ({name!r}) is computed, expected an initialiser; export it as one"
        )
    if count is not None and array.size != count:
        raise node.error(
            f"input {position} ({name!r}): expected {count} elements by N, K, bits and block_size, got "
            f"{array.size}"
        )
    return array


def _unpacked(packed: Array, bits: int) -> Array:
    """The numbers of bytes; the low half of a byte comes first."""
    if bits == 8:
        return packed
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)


def _zero_points(node: OnnxNode, writer: BlockWriter, bits: int, rows: int, blocks: int) -> Array:
    """The zero point of each block ``[rows, blocks]``, uint8, or float where the model has floats."""
    if node.optional(3) is None:
        return np.full((rows, blocks), 2 ** (bits - 1), np.uint8)
    if writer.dtype(node.input(3)) != DType.UINT8:
        return _constant(node, writer, 3, rows * blocks).reshape(rows, blocks)
    width = -(-blocks * bits // 8)
    packed = _constant(node, writer, 3, rows * width).reshape(rows, width)
    return np.ascontiguousarray(_unpacked(packed, bits)[:, :blocks])
