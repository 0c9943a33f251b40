"""The limits of the device, and the checks that bridges share.

TpuLang's float graphs hold float32, whatever the chip computes in.  It infers shapes only when it compiles,
and all sizes are fixed then.
"""

from __future__ import annotations

from collections.abc import Collection

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import DType, is_known
from lite.ops.schema import SCHEMAS
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, meta_of

MOST_AXES = 6


def why_not_tensors(op: BridgeOp, known: Collection[str] = (), outputs: Collection[str] = ()) -> str | None:
    """Why the device cannot hold an op's tensors; None when it can.

    Slots in `known` are integers that the conversion reads, of any type.  `outputs` are the output slots that
    the bridge computes besides the first.
    """
    for slot in op.node.inputs:
        # A constant without axes gets one.
        least = 1 if op.constant(slot) is None else 0
        for meta in op.all(slot):
            reason = None if slot in known else _why_not(meta, least)
            if reason is not None:
                return f"{slot} is {meta}: {reason}"
    first = next(iter(SCHEMAS[op.op].outputs))
    for slot in op.node.outputs:
        if not op.writes(slot):
            continue
        if slot != first and slot not in outputs:
            return f"output {slot} is read, and the device only computes {first}"
        for meta in op.outputs(slot):
            # A result without axes has one on the device, and loses it when it is read.
            reason = _why_not(meta, least=0)
            if reason is not None:
                return f"{slot} is {meta}: {reason}"
    return None


def _why_not(meta: Meta, least: int) -> str | None:
    if meta.is_array:
        return "tensor arrays stay on the host"
    if meta.dtype != DType.FLOAT32:
        return "expected float32"
    if meta.shape is None:
        return "its rank is not known"
    if 0 in meta.shape:
        return "the host runs ops on empty tensors"
    if not least <= len(meta.shape) <= MOST_AXES:
        return f"expected {least} to {MOST_AXES} axes"
    return None


def why_not_constant(op: BridgeOp, *slots: str) -> str | None:
    """Why an op whose tensor in a slot is computed is declined; None when all are constant or absent."""
    for slot in slots:
        if op.get(slot) is not None and op.constant(slot) is None:
            return f"{slot} is computed; the device takes a constant"
    return None


def require_sizes(graph: Graph) -> None:
    """Raise `CompileError` where a size depends on more than the sizes of the region's inputs."""
    for node in graph:
        for value in node.all_outputs():
            if value.is_used and not is_known(meta_of(value).shape):
                raise CompileError(f"{value!r} has a size that is not known before the run", node.label)
