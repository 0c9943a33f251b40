"""Casts to FLOAT8E8M0, whose elements are powers of two: the eight bits are the exponent of a float32."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

_STEP = 2**23
"""The difference of the bits of two float32 numbers of which one is twice the other."""

_ADDED = {"up": _STEP - 1, "down": 0, "nearest": _STEP // 2}
"""What is added to the bits before they are cut to the exponent, by `round_mode`."""

_NAN = 255


def exponents(node: OnnxNode, writer: BlockWriter, source: str) -> None:
    """Write the cast of `source`; signs are lost, and infinities become NaN, as in ONNX.

    Numbers that are rounded to 2^128 become 2^127, or NaN without `saturate`.
    """
    mode = node.string("round_mode", "up")
    if mode not in _ADDED:
        raise node.error(f"round_mode: expected {', '.join(_ADDED)}, got {mode!r}")

    def number(value: int) -> str:
        return writer.weight(np.asarray(value, np.int64), node.output())

    size = writer.unary("abs", writer.cast(source, DType.FLOAT32))
    bits = writer.cast(writer.unary("bitcast", size, {"dtype": DType.INT32.code}), DType.INT64)
    added = writer.binary("elementwise_add", bits, number(_ADDED[mode]))
    if mode == "nearest":
        # Half of the smallest power of two is rounded to 0; other halves are rounded up.
        is_small = writer.binary("less_than", bits, number(_STEP))
        added = writer.binary("elementwise_sub", added, writer.cast(is_small, DType.INT64))
    exponent = writer.binary("elementwise_floordiv", added, number(_STEP))
    most = _NAN - 1 if node.integer("saturate", 1) else _NAN
    exponent = writer.binary("elementwise_min", exponent, number(most))
    is_finite = writer.binary("less_than", bits, number(_NAN * _STEP))
    chosen = writer.new_name(exponent)
    choices = {"Condition": is_finite, "X": exponent, "Y": number(_NAN)}
    writer.emit("where", choices, {"Out": chosen})
    octets = writer.cast(chosen, DType.UINT8)
    writer.unary("bitcast", octets, {"dtype": DType.FLOAT8_E8M0FNU.code}, node.output())
