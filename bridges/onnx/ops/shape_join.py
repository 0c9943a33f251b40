"""concat, stack → Concat; split, unstack → Split (ONNX opset 21).

Axes are constant.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import integer_tensor, known_integers, require_integers
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("concat")
def concat(op: BridgeOp, ctx: Context) -> None:
    """concat → Concat."""
    axis = require_integers(op, "axis", "AxisTensor")[0] if op.get("AxisTensor") else op.integer("axis")
    parts = ctx.inputs(op, "X")
    parts = [ctx.builder.cast(part, parts[0].dtype) for part in parts]
    ctx.output(op, ctx.builder.add("Concat", *parts, axis=axis))


@converts("stack")
def stack(op: BridgeOp, ctx: Context) -> None:
    """stack → Unsqueeze and Concat."""
    b = ctx.builder
    rank = op.all("X")[0].rank + 1
    axis = op.integer("axis") % rank
    parts = [b.unsqueeze(part, axis) for part in ctx.inputs(op, "X")]
    ctx.output(op, b.add("Concat", *parts, axis=axis))


@converts("split")
def split(op: BridgeOp, ctx: Context) -> None:
    """split → Split into equal parts, or into `sections`, of which one may be -1: the rest."""
    b, count = ctx.builder, len(op.node.outputs["Out"])
    x = ctx.input(op, "X")
    axis = require_integers(op, "axis", "AxisTensor")[0] if op.get("AxisTensor") else op.integer("axis")
    kinds = [x.dtype] * count
    sections = known_integers(op, "sections", "SectionsTensorList")
    if sections is None:
        tensor = integer_tensor(op, ctx, "sections", "SectionsTensorList")
        zero = b.scalar(0, DType.INT64)
        taken = b.add("ReduceSum", b.add("Max", tensor, zero), keepdims=0)
        rest = b.add("Sub", b.size(x, axis % op["X"].rank), taken)
        sizes = b.add("Where", b.add("Less", tensor, zero, dtype=DType.BOOL), rest, tensor, dtype=DType.INT64)
        parts = b.add_all("Split", [x, sizes], kinds, axis=axis)
    elif not sections:
        dim = op["X"].dims[axis]
        if isinstance(dim, int):
            parts = b.add_all("Split", [x, b.ints(*[dim // count] * count)], kinds, axis=axis)
        else:
            parts = b.add_all("Split", [x], kinds, axis=axis, num_outputs=count)
    elif -1 not in sections:
        parts = b.add_all("Split", [x, b.ints(*sections)], kinds, axis=axis)
    else:
        sizes = _complete_sections(op, ctx, x, axis, sections)
        parts = b.add_all("Split", [x, sizes], kinds, axis=axis)
    ctx.outputs(op, "Out", parts)


def _complete_sections(op: BridgeOp, ctx: Context, x: Tensor, axis: int, sections: Sequence[int]) -> Tensor:
    """The sections with the size of the rest for -1."""
    b, position = ctx.builder, sections.index(-1)
    taken = sum(size for size in sections if size >= 0)
    dim = op["X"].dims[axis]
    if isinstance(dim, int):
        return b.ints(*[dim - taken if size == -1 else size for size in sections])
    rest = b.add("Sub", b.size(x, axis % op["X"].rank), b.ints(taken))
    return b.add("Concat", b.ints(*sections[:position]), rest, b.ints(*sections[position + 1 :]), axis=0)


@converts("unstack")
def unstack(op: BridgeOp, ctx: Context) -> None:
    """unstack → Split into slices of size 1, and Squeeze."""
    b, axis, x = ctx.builder, op.integer("axis"), ctx.input(op, "X")
    count = len(op.node.outputs["Y"])
    parts = b.add_all("Split", [x, b.ints(*[1] * count)], [x.dtype] * count, axis=axis)
    ctx.outputs(op, "Y", [b.squeeze(part, axis) for part in parts])
