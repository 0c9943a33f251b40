"""Reads the one constant scale and zero point by which a node quantises to bytes, or dequantises them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import DType

BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True, eq=False)
class ByteGrid:
    """Integers n of `dtype`, which stand for ``(n - zero_point) · scale``; `inputs` are these constants."""

    scale: float
    zero_point: int
    dtype: DType
    inputs: Mapping[str, list[Value]]

    def is_equal(self, other: ByteGrid) -> bool:
        """Whether the same integers stand for the same numbers."""
        mine, theirs = ((grid.scale, grid.zero_point, grid.dtype) for grid in (self, other))
        return mine == theirs


def grid_of(node: Node) -> ByteGrid | None:
    """The grid of an affine_quantize or affine_dequantize; None for any other than one constant float32."""
    scale, zero = node.input("Scale"), node.optional_input("ZeroPoint")
    codes = node.output("Out") if node.op == "affine_quantize" else node.input("X")
    real = node.input("X") if node.op == "affine_quantize" else node.output("Out")
    if scale.data is None or scale.data.size != 1 or scale.data.dtype != np.float32:
        return None
    if (zero is not None and (zero.data is None or zero.data.size != 1)) or codes.dtype not in BYTES:
        return None
    if real.dtype is not DType.FLOAT32 or codes.dtype is None:
        return None
    point = 0 if zero is None or zero.data is None else int(zero.data.reshape(-1)[0])
    inputs = {slot: values for slot, values in node.inputs.items() if slot != "X"}
    return ByteGrid(float(scale.data.reshape(-1)[0]), point, codes.dtype, inputs)
