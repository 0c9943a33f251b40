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
from lite.ir.types import DType
from lite.ops.attrs import floats, ints, required
from lite.ops.broadcast import broadcast_right
from lite.ops.fusion_program import read_program
from lite.ops.schema import Trait, op
from lite.ops.view import Meta, OpView


def _group(op: OpView) -> dict[str, Sequence[Meta]]:
    values = [op["X"], *op.all("Inputs")]
    for value in values:
        if value.dtype is not values[0].dtype:
            raise op.error("Inputs", f"the element type of X, {values[0].dtype}", value)
    return {"Out": _results(op, values)}


def _quantized_group(op: OpView) -> dict[str, Sequence[Meta]]:
    values, scales, zeros = [op["X"], *op.all("Inputs")], op.reals("in_scales"), op.integers("in_zero_points")
    if not len(scales) == len(zeros) == len(values):
        raise op.error("in_scales, in_zero_points", f"{len(values)} numbers, one for each operand", scales)
    for value, scale in zip(values, scales, strict=True):
        if value.dtype is not (DType.UINT8 if scale else DType.FLOAT32):
            raise op.error("Inputs", "uint8 with a scale, or float32 with scale 0", value)
    results = _results(op, [Meta(DType.FLOAT32, value.shape) for value in values])
    scales, zeros = op.reals("out_scales"), op.integers("out_zero_points")
    if not len(scales) == len(zeros) == len(results):
        raise op.error("out_scales, out_zero_points", f"{len(results)} numbers, one for each result", scales)
    pairs = zip(results, scales, strict=True)
    return {"Out": [Meta(DType.UINT8 if scale else DType.FLOAT32, meta.shape) for meta, scale in pairs]}


def _results(op: OpView, operands: Sequence[Meta]) -> list[Meta]:
    values = list(operands)
    for instruction in read_program(op.text("program")):
        if not all(0 <= operand < len(values) for operand in instruction.operands):
            raise op.error(f"instruction {instruction}", f"operands from 0 to {len(values) - 1}", "others")
        values.append(_result(op, [values[operand] for operand in instruction.operands]))
    results = op.integers("results")
    first, last = 1 + len(op.all("Inputs")), len(values) - 1
    if last not in results or min(results) < first or max(results) > last or len({*results}) < len(results):
        raise op.error("attribute results", f"numbers from {first} to {last}, the last among them", results)
    return [values[number] for number in results]


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
# Operands and results with a scale other than 0 are uint8: n stands for (n - zero point) · scale.  Results
# are rounded, halves to even, and saturated.
op(
    "quantized_group",
    "fusion_group of quantised values. litebridge's own, written by quantized_group_fuse_pass.",
    "X:float32|uint8 Inputs?*:float32|uint8",
    "Out*",
    _quantized_group,
    attrs={
        "program": required(AttrType.STRING),
        "results": ints(),
        "in_scales": floats(),
        "in_zero_points": ints(),
        "out_scales": floats(),
        "out_zero_points": ints(),
    },
    traits=(Trait.LAYOUT_AGNOSTIC,),
    lod="X",
)
