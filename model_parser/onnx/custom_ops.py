"""Tables of ONNX ops that are ops of litebridge with the same attributes."""

from __future__ import annotations

from collections.abc import Mapping

from lite.model_parser.onnx.custom_op import CustomOp
from lite.model_parser.onnx.translations import onnx_op

__all__ = ["CustomOp", "register_custom_ops"]


def register_custom_ops(table: Mapping[str, CustomOp]) -> None:
    """Register a table from ONNX op types to custom ops."""
    for name, row in table.items():
        onnx_op(name)(row.write)
