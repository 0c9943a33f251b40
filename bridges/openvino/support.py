"""What every bridge here declines, in sentences: element types, unknown ranks, outputs it does not make.

OpenVINO's CPU plugin computes in float32, whatever the element type: float64 is declined, and integers
are exact up to 2^24.  So constants and the region's inputs are held to that range, ops whose results
soon leave it are declined for integers, and 8-bit integers, which it saturates, are only moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lite.ir.types import Array, DType
from lite.ops.schema import SCHEMAS

if TYPE_CHECKING:
    from lite.ops.view import Meta
    from lite.plugin.device import BridgeOp

DTypes = frozenset[DType]

FLOAT: DTypes = frozenset({DType.FLOAT16, DType.FLOAT32})
INT32: DTypes = frozenset({DType.INT32})
INDEX: DTypes = frozenset({DType.INT32, DType.INT64})
BOOL: DTypes = frozenset({DType.BOOL})
NUMBER: DTypes = FLOAT | INDEX
NARROW: DTypes = FLOAT | INT32
ANY: DTypes = NUMBER | BOOL | {DType.UINT8, DType.INT8}

_EMPTY = "empty tensors are left to the host"

EXACT = 2**24
"""Integers up to here, of either sign, are what they are in float32."""

HIGHEST = 2**31 - 1
"""As far as slices reach."""


def refused(
    op: BridgeOp,
    dtypes: DTypes,
    slots: Mapping[str, DTypes] | None = None,
    outputs: tuple[str, ...] = (),
) -> str | None:
    """Why an op cannot be taken whose inputs are of `dtypes` (those in `slots` of others), or None.

    `outputs` are the output slots that the bridge makes besides the first.
    """
    for slot in op.node.inputs:
        for meta in op.all(slot):
            reason = _refused_input(meta, (slots or {}).get(slot, dtypes))
            if reason is not None:
                return f"{slot} is {meta}: {reason}"
    first = next(iter(SCHEMAS[op.op].outputs))
    for slot in op.node.outputs:
        if slot != first and slot not in outputs and op.writes(slot):
            return f"output {slot} is read, and OpenVINO only makes {first}"
        for meta in op.outputs(slot):
            if op.writes(slot) and meta.dtype not in ANY:
                return f"{slot} is {meta}: {_expected(ANY)}"
            if op.writes(slot) and 0 in (meta.shape or ()):
                return f"{slot} is {meta}: {_EMPTY}"
    return None


def unknown_result(op: BridgeOp) -> str | None:
    """Why an op cannot be taken whose result's rank must be known, or None."""
    if op.output().shape is None:
        return f"how many axes {op.name} has is not known"
    return None


def same_dtype(op: BridgeOp, *slots: str) -> str | None:
    """Why inputs of different element types cannot be taken, or None."""
    metas = [meta for slot in slots for meta in op.all(slot)]
    for meta in metas[1:]:
        if meta.dtype != metas[0].dtype:
            return f"inputs are of types {metas[0].dtype} and {meta.dtype}; OpenVINO wants one type"
    return None


def is_exact(array: Array) -> bool:
    """Whether the CPU plugin computes with these elements as they are."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 4 or not array.size:
        return True
    return bool(array.min() >= -EXACT and array.max() <= EXACT)


def _refused_input(meta: Meta, dtypes: DTypes) -> str | None:
    if meta.is_array:
        return "tensor arrays stay on the host"
    if meta.dtype not in dtypes:
        return _expected(dtypes)
    if meta.shape is None:
        return "its rank is not known"
    if 0 in meta.shape:
        return _EMPTY
    if meta.value is not None and not is_exact(meta.value):
        return f"it has integers beyond {EXACT}, which OpenVINO rounds"
    return None


def _expected(dtypes: DTypes) -> str:
    return f"expected {', '.join(sorted(str(dtype) for dtype in dtypes))}"
