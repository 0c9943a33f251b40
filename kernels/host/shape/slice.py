"""slice on the host."""

from typing import Any

from lite.ops.ranges import slice_of
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    """A copy of a box that is found once."""
    x, y, attrs = ctx.inputs["Input"][0], ctx.outputs["Out"][0], ctx.attrs
    if {slot for slot, metas in ctx.inputs.items() if metas} != {"Input"}:
        return None
    sizes, shape = x.sizes, y.sizes
    box = [slice(None)] * len(sizes)
    decreased = attrs.integers("decrease_axis")
    for axis, start, end in zip(
        attrs.integers("axes"), attrs.integers("starts"), attrs.integers("ends"), strict=False
    ):
        box[axis] = slice_of(start, end, size=sizes[axis], decreased=axis in decreased)
    place = tuple(box)

    def run(Input: Array, *_: Any, out: Array | None = None) -> Array:
        found = Input[place].reshape(shape)
        return found.copy() if out is None else write(out, found)

    return run


@kernel("slice", prepare=_prepare)
def slice_(
    Input: Array | list[Array],
    StartsTensor: Array | None,
    EndsTensor: Array | None,
    StartsTensorList: list[Array] | None,
    EndsTensorList: list[Array] | None,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    decrease_axis: list[int],
    out: Array | None = None,
) -> Array | list[Array]:
    """A box of Input, without the axes of `decrease_axis`; of a tensor array, a range or an element."""
    starts = integers(starts, StartsTensor, StartsTensorList)
    ends = integers(ends, EndsTensor, EndsTensorList)
    if isinstance(Input, list):
        picked = Input[slice_of(starts[0], ends[0], size=len(Input), decreased=bool(decrease_axis))]
        return picked[0].copy() if decrease_axis else picked
    box = [slice(None)] * Input.ndim
    for axis, start, end in zip(axes, starts, ends, strict=False):
        box[axis] = slice_of(start, end, size=Input.shape[axis], decreased=axis in decrease_axis)
    result = Input[tuple(box)].squeeze(axis=tuple(decrease_axis))
    return result.copy() if out is None else write(out, result)
