"""The limits of the hardware, from the chapter "Limits" of its manual, and the checks that bridges share.

`why_not_tensors` checks element types, ranks and slots.  It accepts what is not known yet: the engine asks
a bridge again with every shape known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lite.ir.types import Dim, DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, meta_of

FLOAT = (DType.FLOAT32,)
FLOAT_OR_INT = (DType.FLOAT32, DType.INT32)
RANK = 5
KERNEL = 8
STRIDE = 8
DILATION = 8
PADDING = 15
JOINED = 64
NODES = 4096
INPUTS = 64
OUTPUTS = 64
WEIGHT_BYTES = 1 << 28
MEMORY_BYTES = 1 << 31


def why_not_tensors(op: BridgeOp, *slots: str, dtypes: Collection[DType] = FLOAT) -> str | None:
    """Why the device cannot hold an op's tensors; None when it can.

    `slots` are the inputs that the bridge converts.  An op with a value in another slot is declined, and so
    is an op of which any output but the first is read.
    """
    for slot, values in op.node.inputs.items():
        if values and slot not in slots:
            return f"input {slot} is given; the device's operator has no such input"
    first, *others = op.node.outputs
    for slot in others:
        if op.writes(slot):
            return f"output {slot} is read; the device computes {first} alone"
    reasons = (_why_not_tensor(slot, meta, dtypes) for slot, meta in _tensors(op, slots, first))
    return next((reason for reason in reasons if reason is not None), None) or _why_not_dynamic_output(
        op, slots, first
    )


def why_not_computed(op: BridgeOp, *slots: str) -> str | None:
    """Why one of these inputs, which must be constants, is not; None when each is a constant or absent."""
    for slot in slots:
        if op.get(slot) is not None and op.constant(slot) is None:
            return f"{slot} is computed at run time; the device keeps it in its weight memory, as a constant"
    return None


def static_shape(meta: Meta) -> list[int]:
    """The shape of a tensor at conversion, when every dimension is a number."""
    return [int(dim) for dim in meta.dims]


def are_known(dims: Sequence[Dim]) -> bool:
    """Whether all these dimensions are numbers."""
    return all(isinstance(dim, int) for dim in dims)


def _tensors(op: BridgeOp, slots: Sequence[str], output: str) -> Iterator[tuple[str, Meta]]:
    for slot in slots:
        for meta in op.all(slot):
            yield slot, meta
    for value in op.node.outputs[output]:
        yield output, meta_of(value)


def _why_not_tensor(slot: str, meta: Meta, dtypes: Collection[DType]) -> str | None:
    if meta.dtype not in dtypes:
        return f"{slot} is {meta}; the device computes in {' or '.join(str(dtype) for dtype in dtypes)}"
    if meta.shape is None or (not meta.shape and meta.value is not None):
        return None
    if not 1 <= len(meta.shape) <= RANK:
        return f"{slot} is {meta}, of rank {len(meta.shape)}; the device's tensors have 1 to {RANK} axes"
    if 0 in meta.shape:
        return f"{slot} is {meta}; the device has no tensors without elements"
    return None


def _why_not_dynamic_output(op: BridgeOp, slots: Sequence[str], output: str) -> str | None:
    """Shapes on the device are static: those of outputs must follow from those of inputs."""
    if all(meta.is_static for slot in slots for meta in op.all(slot)):
        for value in op.node.outputs[output]:
            if not meta_of(value).is_static:
                return f"the shape of {output}, {meta_of(value)}, depends on data; the device's are static"
    return None
