"""What LiteRT runs: the element types of each operator, and the most axes."""

from __future__ import annotations

from lite.bridges.formats.tflite.graph import Operator
from lite.ir.types import DType

_FLOAT = frozenset({DType.FLOAT32})
_NUMBER = _FLOAT | {DType.INT32, DType.INT64}
_MOVED = _NUMBER | {DType.BOOL, DType.INT8, DType.UINT8}


def why_not(operator: Operator) -> str | None:
    """Why LiteRT does not run an operator; None when it does."""
    return None
