"""Limits of LiteRT: the element types that each operator takes, and its most axes."""

from __future__ import annotations

from lite.emission.tflite.graph import Operator, Stored
from lite.ir.types import DType

_FLOAT = frozenset({DType.FLOAT32})
_INDEX = frozenset({DType.INT32, DType.INT64})
_NUMBER = _FLOAT | _INDEX
_BOOL = frozenset({DType.BOOL})
_MOVED = _NUMBER | _BOOL | {DType.INT8, DType.UINT8}

_TYPES = {
    **dict.fromkeys(("ADD", "MAXIMUM", "MINIMUM", "MUL", "NEG", "SUB", "SUM"), _NUMBER),
    **dict.fromkeys(("EQUAL", "NOT_EQUAL"), _NUMBER | _BOOL),
    **dict.fromkeys(("GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "CUMSUM"), _NUMBER),
    **dict.fromkeys(("REDUCE_MAX", "REDUCE_MIN"), _FLOAT | {DType.INT32}),
    **dict.fromkeys(("LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "REDUCE_ALL", "REDUCE_ANY"), _BOOL),
    **dict.fromkeys(("ARG_MAX", "ARG_MIN", "TOPK_V2"), _FLOAT | {DType.INT32}),
    **dict.fromkeys(
        (
            "BROADCAST_TO",
            "CAST",
            "CONCATENATION",
            "GATHER",
            "RESHAPE",
            "REVERSE_V2",
            "SLICE",
            "STRIDED_SLICE",
        ),
        _MOVED,
    ),
    **dict.fromkeys(("TILE", "TRANSPOSE"), _MOVED),
    **dict.fromkeys(("PAD", "PADV2"), _FLOAT | _INDEX),
    "DEQUANTIZE": frozenset({DType.INT8}),
    "MIRROR_PAD": _FLOAT | _INDEX,
    "ONE_HOT": _INDEX,
}
"""The element types of an operator's first input; an operator that is not listed takes float32."""

_SELECTED = _NUMBER | _BOOL

_MOST_AXES = 6
_BROADCAST_AXES = 6

_AXES = {
    "BATCH_MATMUL": 5,
    "BROADCAST_TO": 8,
    "MIRROR_PAD": 4,
    "PAD": 5,
    "PADV2": 5,
    "PRELU": 4,
    "REVERSE_V2": 8,
    "RESHAPE": 8,
    "SELECT_V2": 5,
    "SLICE": 5,
    "STRIDED_SLICE": 5,
    "TILE": 8,
}
"""The most axes of an operator's inputs and outputs; `_MOST_AXES` if it is not listed."""


def why_not(operator: Operator) -> str | None:
    """The reason why LiteRT does not run an operator; None if it does."""
    tensors = [tensor for tensor in operator.inputs if tensor is not None]
    return _why_not_types(operator, tensors) or _why_not_axes(operator, tensors)


def _why_not_types(operator: Operator, tensors: list[Stored]) -> str | None:
    code = operator.code
    if code == "SELECT_V2":
        checked, allowed = tensors[1:], _SELECTED
    elif code == "TRANSPOSE_CONV":
        checked, allowed = tensors[1:], _FLOAT
    else:
        checked, allowed = tensors[:1], _TYPES.get(code, _FLOAT)
    for tensor in checked:
        if tensor.dtype not in allowed:
            names = ", ".join(sorted(str(dtype) for dtype in allowed))
            return f"{code} reads {tensor.dtype}{list(tensor.shape)}; LiteRT takes {names}"
    return None


def _why_not_axes(operator: Operator, tensors: list[Stored]) -> str | None:
    most = _AXES.get(operator.code, _MOST_AXES)
    for tensor in (*tensors, *operator.outputs):
        if len(tensor.shape) > most:
            return f"{operator.code} has {tensor.dtype}{list(tensor.shape)}; LiteRT takes {most} axes at most"
    return None
