"""Ops of Paddle-Lite that change where and how a value is stored: calib, io_copy and layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lite.errors import ModelParseError
from lite.ir.program import Op
from lite.ir.types import DType
from lite.model_parser.paddlelite_nb.quantised import dequantise, quantise, single_scale
from lite.model_parser.paddlelite_nb.rewriter import Rewriter, integer

_DTYPES = {
    "fp16": DType.FLOAT32,
    "fp32": DType.FLOAT32,
    "fp64": DType.FLOAT64,
    "bool": DType.BOOL,
    "int8": DType.INT8,
    "int16": DType.INT16,
    "int32": DType.INT32,
    "int64": DType.INT64,
    "uint8": DType.UINT8,
}
"""The element types in names of casts; half precision is computed in single precision."""

_CAST = re.compile(rf"({'|'.join(_DTYPES)})_to_({'|'.join(_DTYPES)})")


def expand_move(op: Op, alias: str, rewriter: Rewriter) -> bool:
    """Write an op that moves a value; False for another op."""
    expand = _MOVES.get(op.type.removesuffix("_once").removesuffix("_inplace"))
    if expand is None:
        return False
    sources = op.inputs.get("Input") or op.inputs.get("X") or []
    targets = op.outputs.get("Out", [])
    if len(sources) != 1 or len(targets) != 1:
        raise ModelParseError(f"expected one input and one output, got {sources[:4]} and {targets[:4]}")
    expand(op, alias, sources[0], targets[0], rewriter)
    return True


def _calib(op: Op, alias: str, source: str, target: str, rewriter: Rewriter) -> None:
    """::

    calib/fp32_to_int8(x, scale=s) -> quantize_linear(x, 127 s)
    calib/int64_to_int32(x)        -> cast(x)
    calib/fp32_to_fp16(x)          -> assign(x)
    """
    match = _CAST.match(alias)
    if match is None:
        raise ModelParseError(f"the kernel {alias!r} is unknown; expected a cast such as fp32_to_int8")
    before, after = (_DTYPES[name] for name in match.groups())
    if after is DType.INT8 and before.is_float:
        quantise(source, target, single_scale(op, "scale"), rewriter)
    elif before is DType.INT8 and after.is_float:
        dequantise(source, target, single_scale(op, "scale"), rewriter)
    elif before is after:
        _copy(op, alias, source, target, rewriter)
    else:
        attrs = {"in_dtype": integer(before.code), "out_dtype": integer(after.code)}
        rewriter.emit("cast", {"X": [source]}, {"Out": [target]}, attrs)
        rewriter.quantised.discard(target)


def _copy(op: Op, alias: str, source: str, target: str, rewriter: Rewriter) -> None:
    """The logical order of axes is the same in all layouts, and memory of other processors is not needed."""
    del op, alias
    rewriter.emit("assign", {"X": [source]}, {"Out": [target]})
    if source in rewriter.quantised:
        rewriter.quantised.add(target)
    else:
        rewriter.quantised.discard(target)


_MOVES: Mapping[str, Callable[[Op, str, str, str, Rewriter], None]] = {
    "calib": _calib,
    "io_copy": _copy,
    "layout": _copy,
}
