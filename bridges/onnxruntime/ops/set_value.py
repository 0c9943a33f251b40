"""set_value: a box of a tensor replaced."""

from __future__ import annotations

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes
from lite.bridges.onnxruntime.ops.sizes import known_dims, known_numbers
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.defs.slice import strided_slice_of
from lite.ops.schema import get_schema
from lite.ops.value_attrs import VALUE_ATTRS, value_array
from lite.plugin.device import BridgeOp


@converts("set_value")
def set_value(op: BridgeOp, ctx: Context) -> None:
    """ScatterND at every place of the box; sizes and bounds must be known."""
    b, x = ctx.builder, ctx.input(op, "Input")
    dims = known_dims(op["Input"], "Input")
    bounds = [known_numbers(op, name, f"{name.title()}TensorList") for name in ("starts", "ends", "steps")]
    box = [slice(None)] * len(dims)
    for axis, start, end, step in zip(op.integers("axes"), *bounds, strict=True):
        box[axis] = strided_slice_of(start, end, step, dims[axis])
    places = np.stack(np.meshgrid(*(np.arange(size) for size in dims), indexing="ij"), axis=-1)[tuple(box)]
    target = places.squeeze(axis=tuple(op.integers("decrease_axes")))
    for axis in op.integers("none_axes"):
        target = np.expand_dims(target, axis)
    given = ctx.optional(op, "ValueTensor")
    if given is None:
        found = get_schema(op.op).attr_values(op.node.attrs)
        lists: Attributes = {name: found[name] for name in VALUE_ATTRS}
        value = value_array(op.op, DType.from_code(op.integer("dtype")), **lists)
        given = b.array(value.reshape(op.integers("shape")))
    if not target.size:
        raise CompileError(f"the box is empty in {op['Input']}")
    values = b.add("Expand", b.cast(given, x.dtype), b.ints(*target.shape[:-1]))
    ctx.output(op, b.add("ScatterND", x, b.array(target.astype(np.int64)), values))
