"""MatMulNBits, MatMulBnb4 and GatherBlockQuantized: matrices of few bits with a scale per block."""

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
    check_scale(node, writer, 2, None, is_positive=False)
    packed = _constant(node, writer, 1, rows * blocks * block * bits // 8).reshape(rows, blocks, -1)
    numbers = _unpacked(packed, bits).reshape(rows, blocks * block)[:, :columns]
    scale = _constant(node, writer, 2, rows * blocks).reshape(rows, blocks)
    zero_point = _zero_points(node, writer, bits, rows, blocks)
    if node.optional(4) is None and zero_point.dtype == np.uint8:
        matrix = writer.new_name(node.input(1))
        inputs = {
            "X": writer.weight(np.ascontiguousarray(numbers), node.input(1)),
            "Scale": writer.weight(scale, node.input(2)),
            "ZeroPoint": writer.weight(zero_point, node.input(1)),
        }
        writer.emit("affine_dequantize", inputs, {"Out": matrix}, {"axis": 1, "block_size": block})
    else:
        indices = _block_of_column(node, writer, columns, blocks, block)
        compute = np.promote_types(scale.dtype, np.float32)
        centred = numbers.astype(compute) - zero_point.astype(compute)[:, indices]
        matrix = writer.weight((centred * scale[:, indices]).astype(scale.dtype), node.input(1))
    bias = node.optional(5)
    out = node.output() if bias is None else writer.new_name(node.output())
    writer.binary("matmul_v2", node.input(0), matrix, {"trans_y": True}, out)
    if bias is not None:
        writer.binary("elementwise_add", out, bias, out=node.output())


_FP4 = (0.0, 1 / 192, 2 / 3, 1.0, 1 / 3, 0.5, 1 / 6, 0.25)

_NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
    0.7229568362236023, 1.0,
)  # fmt: skip

_BNB4 = {0: (*_FP4, *(-number for number in _FP4)), 1: _NF4}
"""The numbers that 4 bits stand for, by the attribute quant_type; after Dettmers et al., QLoRA, 2023."""


@onnx_op("com.microsoft.MatMulBnb4")
def matmul_bnb4(node: OnnxNode, writer: BlockWriter) -> None:
    """``A · Bᵀ``; a number of B is one of 16, times the largest of its block, which may span rows."""
    rows, columns = node.integer("N", 0), node.integer("K", 0)
    block, kind = node.integer("block_size", 0), node.integer("quant_type", 1)
    if block < 1 or rows < 1 or columns < 1 or kind not in _BNB4 or not node.integer("transB", 1):
        raise node.error(
            "attributes: expected block_size, N and K of 1 or more, quant_type 0 or 1, and transB 1, got "
            f"{block}, {rows}, {columns}, {kind} and {node.integer('transB', 1)}"
        )
    count = rows * columns
    packed = _constant(node, writer, 1, -(-count // 2)).reshape(-1)
    largest = _constant(node, writer, 2, -(-count // block)).reshape(-1)
    codes = np.stack([packed >> 4, packed & 15], axis=-1).reshape(-1)[:count]
    numbers = np.array(_BNB4[kind], largest.dtype)[codes] * largest.repeat(block)[:count]
    matrix = writer.weight(numbers.reshape(rows, columns), node.input(1))
    writer.binary("matmul_v2", node.input(0), matrix, {"trans_y": True}, node.output())


def _block_of_column(node: OnnxNode, writer: BlockWriter, columns: int, blocks: int, block: int) -> Array:
    """The number of the block of each column, by the input g_idx where the node has it."""
    name = node.optional(4)
    if name is None:
        return np.arange(columns) // block
    indices = _constant(node, writer, 4, None).reshape(-1)[:columns].astype(np.int64)
    if indices.size != columns or indices.min() < 0 or indices.max() >= blocks:
        raise node.error(
            f"input 4 ({name!r}): expected {columns} block numbers from 0 to {blocks - 1}, got "
            f"{indices.size} from {indices.min(initial=0)} to {indices.max(initial=0)}"
        )
    return indices


@onnx_op("com.microsoft.GatherBlockQuantized")
def gather_block_quantized(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_dequantize` of the rows of a table; `take` gathers their numbers, scales and zero points."""
    bits, block = node.integer("bits", 4), node.integer("block_size", 128)
    data = _constant(node, writer, 0, None)
    check_scale(node, writer, 2, None, is_positive=False)
    scale = _constant(node, writer, 2, None)
    axes = (node.integer("gather_axis", 0), node.integer("quantize_axis", 1) % max(data.ndim, 1))
    if bits not in (4, 8) or data.ndim != 2 or axes != (0, 1):
        raise node.error(
            "expected 4 or 8 bits and a table of 2 axes, gathered along axis 0 and quantised along axis 1, "
            f"got {bits} bits, {data.ndim} axes, gather_axis {axes[0]} and quantize_axis {axes[1]}"
        )
    is_packed = data.dtype == np.uint8
    numbers = _unpacked(data, bits) if is_packed else data
    rows, blocks = len(data), scale.shape[-1]
    tables = {"X": numbers, "Scale": scale.reshape(rows, blocks)}
    if node.optional(3) is not None and not is_packed:
        tables["ZeroPoint"] = _constant(node, writer, 3, rows * blocks).reshape(rows, blocks)
    elif is_packed:
        tables["ZeroPoint"] = _zero_points(node, writer, bits, rows, blocks)
    parts = {}
    for slot, table in tables.items():
        parts[slot] = writer.new_name(node.output())
        inputs = {"X": writer.weight(np.ascontiguousarray(table), node.input(0)), "Index": node.input(1)}
        writer.emit("take", inputs, {"Out": parts[slot]}, {"axis": 0})
    writer.emit("affine_dequantize", parts, {"Out": node.output()}, {"axis": -1, "block_size": block})


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
