"""fusion_group: several elementwise ops as one, stated as a small program.

Instructions are separated by ``;``.  Each is an op type, its operands, and its attributes in the order of
the op's schema (missing ones have their defaults)::

    elementwise_mul 0 1; scale 2 2.0 1.0; sigmoid 3

Operands are numbers: 0 is X, the next ones are `Inputs`, and the following ones are the results of the
instructions, one each.  `results` lists which of these are the op's outputs; the last one always is.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrType
from lite.ops.attrs import ints, required
from lite.ops.broadcast import broadcast_right
from lite.ops.fusion_program import read_program
from lite.ops.schema import Trait, op
from lite.ops.view import Meta, OpView


def _group(op: OpView) -> dict[str, Sequence[Meta]]:
    values = [op["X"], *op.all("Inputs")]
    for value in values:
        if value.dtype is not values[0].dtype:
            raise op.error("Inputs", f"the element type of X, {values[0].dtype}", value)
    for instruction in read_program(op.text("program")):
        if not all(0 <= operand < len(values) for operand in instruction.operands):
            raise op.error(f"instruction {instruction}", f"operands from 0 to {len(values) - 1}", "others")
        values.append(_result(op, [values[operand] for operand in instruction.operands]))
    results = op.integers("results")
    first, last = 1 + len(op.all("Inputs")), len(values) - 1
    if last not in results or min(results) < first or max(results) > last or len({*results}) < len(results):
        raise op.error("attribute results", f"numbers from {first} to {last}, the last among them", results)
    return {"Out": [values[number] for number in results]}


def _result(op: OpView, operands: Sequence[Meta]) -> Meta:
    shape = operands[0].shape
    for other in operands[1:]:
        known = shape is not None and other.shape is not None
        shape = broadcast_right(op, shape or (), other.shape or ()) if known else None
    return Meta(operands[0].dtype, shape)


op(
    "fusion_group",
    "Several elementwise ops as one small program. litebridge's own, written by fusion_group_pass.",
    "X:float Inputs?*:float",
    "Out*",
    _group,
    attrs={"program": required(AttrType.STRING), "results": ints()},
    traits=(Trait.ELEMENTWISE,),
    lod="X",
    inplace={"Out": "X"},
)
