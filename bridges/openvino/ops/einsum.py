"""einsum."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.ops.defs.einsum import terms
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
    operands, _ = terms(op.text("equation"))
    if any(len(set(operand)) < len(operand) for operand in operands):
        return f"equation {op.text('equation')!r} takes a diagonal"
    if any("." in operand for operand in operands):
        return f"equation {op.text('equation')!r} has axes without names"
    return None


def _einsum(b: Builder, op: BridgeOp, operands: list[Tensor]) -> Tensor:
    names, result = terms(op.text("equation"))
    return b.op.einsum(operands, f"{','.join(names)}->{result}")


bridge("openvino", "einsum")(Row("Operands*", _einsum, alike=True, why=_why_not))
