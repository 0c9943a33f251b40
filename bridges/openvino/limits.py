"""The limits of OpenVINO, and the checks that bridges share: element types, ranks, outputs.

OpenVINO's CPU plugin computes in float32, whatever the element type.  So float64 is declined, and integers
are exact up to 2^24: constants and the region's inputs are checked for that range, ops whose results may
leave it are declined for integers, and 8-bit integers, which the plugin saturates, are only moved.
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
FLOAT_OR_INT32: DTypes = FLOAT | INT32
ANY: DTypes = NUMBER | BOOL | {DType.UINT8, DType.INT8}

EXACT = 2**24
"""The largest absolute value up to which every integer is exact in float32."""

SLICE_END = 2**31 - 1
"""The largest number that Slice takes as a start or an end."""

_EMPTY = "the host runs ops on empty tensors"


def why_not_tensors(
    op: BridgeOp,
    dtypes: DTypes,
    slot_dtypes: Mapping[str, DTypes] | None = None,
    outputs: tuple[str, ...] = (),
) -> str | None:
    """Why OpenVINO cannot hold an op's tensors; None when it can.

    Inputs have one of `dtypes`, those in the slots of `slot_dtypes` one of the types there.  `outputs` are
    the output slots that the bridge computes besides the first.
    """
    for slot in op.node.inputs:
        for meta in op.all(slot):
            reason = _why_not_input(meta, (slot_dtypes or {}).get(slot, dtypes))
            if reason is not None:
                return f"{slot} is {meta}: {reason}"
    first = next(iter(SCHEMAS[op.op].outputs))
    for slot in op.node.outputs:
        if slot != first and slot not in outputs and op.writes(slot):
            return f"output {slot} is read, and OpenVINO only computes {first}"
        for meta in op.outputs(slot):
            if op.writes(slot) and meta.dtype not in ANY:
                return f"{slot} is {meta}: {_expected(ANY)}"
            if op.writes(slot) and 0 in (meta.shape or ()):
                return f"{slot} is {meta}: {_EMPTY}"
    return None


def why_not_unknown_rank(op: BridgeOp) -> str | None:
    """Why an op whose output must have a known rank cannot run; None when it has."""
    return f"the rank of {op.name} is not known" if op.output().shape is None else None


def why_not_mixed_types(op: BridgeOp, *slots: str) -> str | None:
    """Why inputs of different element types cannot be computed with; None when they have one type."""
    metas = [meta for slot in slots for meta in op.all(slot)]
    for meta in metas[1:]:
        if meta.dtype != metas[0].dtype:
            return f"inputs are of types {metas[0].dtype} and {meta.dtype}; OpenVINO takes inputs of one type"
    return None


def is_exact(array: Array) -> bool:
    """Whether the CPU plugin computes with these elements without rounding them."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 4 or not array.size:
        return True
    return bool(array.min() >= -EXACT and array.max() <= EXACT)


def _why_not_input(meta: Meta, dtypes: DTypes) -> str | None:
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
