"""TensorRules: a table of the element types and ranks that a device takes, asked before its bridges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device.bridge_op import BridgeOp, meta_of


@dataclass(frozen=True)
class TensorRule:
    """What one tensor may be; the default takes every tensor.

    Ranks are from `min_rank` to `max_rank`, both included; with `scalar_constants`, a constant may have rank
    0, too.  Without `empty`, no size may be 0.  An unknown rank or size is accepted, and the question is
    asked again when it is known.
    """

    dtypes: Collection[DType] | None = None
    min_rank: int = 0
    max_rank: int | None = None
    empty: bool = True
    scalar_constants: bool = False

    def why_not(self, what: str, meta: Meta, constant: bool = False) -> str | None:
        """Why a tensor does not fit, in one sentence about `what`; None when it does."""
        if self.dtypes is not None and meta.dtype not in self.dtypes:
            return f"{what} is {meta}; expected {' or '.join(sorted(map(str, self.dtypes)))}"
        if meta.shape is None:
            return None
        if meta.rank < self.min_rank and not (constant and self.scalar_constants and meta.rank == 0):
            return f"{what} is {meta}; expected at least {self.min_rank} dimensions"
        if self.max_rank is not None and meta.rank > self.max_rank:
            return f"{what} is {meta}; expected at most {self.max_rank} dimensions"
        if not self.empty and 0 in meta.shape:
            return f"{what} is {meta}, which is empty; expected at least one element"
        return None


@dataclass(frozen=True)
class TensorRules:
    """The rules of a device: `every` for all inputs and outputs, except those that `slots` names.

    Keys of `slots` are ``op``, for all slots of an op, or ``op.Slot``, which is preferred.  Outputs that
    nothing reads have no rule.

    >>> from lite.ir.types import DType
    >>> rules = TensorRules(
    ...     TensorRule({DType.FLOAT32}, max_rank=4, empty=False),
    ...     {"gather.Index": TensorRule({DType.INT32}, max_rank=1)},
    ... )
    """

    every: TensorRule = TensorRule()
    slots: Mapping[str, TensorRule] = field(default_factory=dict)

    def why_not(self, op: BridgeOp) -> str | None:
        """Why an input or output of an op does not fit; None when all do."""
        for slot, value in _values(op):
            rule = self.slots.get(f"{op.op}.{slot}") or self.slots.get(op.op) or self.every
            reason = rule.why_not(slot, meta_of(value), value.is_constant)
            if reason is not None:
                return reason
        return None


ANY_TENSOR = TensorRules()
"""Takes every tensor."""


def _values(op: BridgeOp) -> Iterator[tuple[str, Value]]:
    node = op.node
    for slot, values in node.inputs.items():
        yield from ((slot, value) for value in values if value.kind is not VarKind.TENSOR_ARRAY)
    for slot, values in node.outputs.items():
        yield from (
            (slot, value) for value in values if value.is_used and value.kind is not VarKind.TENSOR_ARRAY
        )
