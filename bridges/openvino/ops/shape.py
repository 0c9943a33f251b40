"""reshape2, squeeze2, unsqueeze2, flatten*, transpose2, shape, assign → Reshape, Transpose, … (opset 15).

All element types but float64.  The shape of reshape2 may be computed in the run; the axes of squeeze2 and
unsqueeze2 must be known when the region is compiled.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.fused_attention import transposed
from lite.bridges.openvino.limits import ANY, why_not_tensors
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_inputs import (
    integer_tensor,
    known_integers,
    merged,
    why_not_unknown_integers,
)
from lite.ir.types import DType
from lite.ops.new_shape import squeezed
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "reshape2")
class Reshape:
    """reshape2 → Reshape.  In the shape, a 0 copies the size of X, and -1 is the size that remains."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        shape = known_integers(op, "shape", "ShapeTensor", "Shape")
        if shape is not None and 0 in shape[op["X"].rank :]:
            return (
                f"shape is {shape}: a 0 copies the size of an axis of X, which has only {op['X'].rank} axes"
            )
        if shape is None and 0 in op["X"].dims:
            return f"X is {op['X']} and the shape is computed: OpenVINO fails if all sizes are 0"
        return why_not_tensors(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x = ctx.builder, ctx.input(op, "X")
        shape = integer_tensor(op, ctx, "shape", "ShapeTensor", "Shape")
        if known_integers(op, "shape", "ShapeTensor", "Shape") is None:
            shape = _without_zeros(b, op, x, shape)
        ctx.output(op, b.op.reshape(x, shape, special_zero=True), "Out")


def _without_zeros(b: Builder, op: BridgeOp, x: Tensor, shape: Tensor) -> Tensor:
    """The shape with the sizes of X in the place of zeros.

    OpenVINO 2026.4 takes a shape that has only zeros in the first run for the one that it has seen last.
    """
    rank, axes = op["X"].rank, op.output("Out").rank
    sizes = b.op.concat([b.sizes(x), b.ints([1] * (axes - rank))], 0) if axes > rank else b.sizes(x)
    if axes < rank:
        sizes = b.op.gather(sizes, b.ints(range(axes)), b.integer(0))
    return b.op.select(b.op.equal(shape, b.integer(0)), sizes, shape)


def _why_not_squeeze(op: BridgeOp) -> str | None:
    reason = why_not_unknown_integers(op, "axes", "AxesTensor")
    if reason is None and squeezed(op["X"].dims, op.integers("axes")) is None and not op.integers("axes"):
        return f"X is {op['X']} and axes are not given: all sizes must be known, to find those of 1"
    return reason


def _squeeze(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Drop axes of size 1.  An axis of unknown size must have size 1 in the run, else OpenVINO fails."""
    rank, dims = op["X"].rank, op["X"].dims
    axes = {axis % rank for axis in known_integers(op, "axes", "AxesTensor") or []} if rank else set()
    axes = axes or set(range(rank))
    chosen = [axis for axis in sorted(axes) if dims[axis] == 1 or isinstance(dims[axis], str)]
    return b.op.squeeze(x, b.ints(chosen)) if chosen else x


def _why_not_unsqueeze(op: BridgeOp) -> str | None:
    return why_not_unknown_integers(op, "axes", "AxesTensorList", "AxesTensor")


def _unsqueeze(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Insert axes of size 1.  Paddle inserts one after the other; OpenVINO takes their final positions."""
    is_new = [False] * op["X"].rank
    for axis in known_integers(op, "axes", "AxesTensorList", "AxesTensor") or []:
        is_new.insert(axis + len(is_new) + 1 if axis < 0 else axis, True)
    new = [axis for axis, added in enumerate(is_new) if added]
    return b.op.unsqueeze(x, b.ints(new)) if new else x


def _flatten2(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank = op["X"].rank
    axis = op["X"].axis(op.integer("axis"))
    if not rank:
        return b.reshape(x, [1])
    return merged(b, x, op["X"].dims, [list(range(axis)), list(range(axis, rank))])


def _flatten_range(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank = op["X"].rank
    if not rank:
        return b.reshape(x, [1])
    start, stop = op["X"].axis(op.integer("start_axis")), op["X"].axis(op.integer("stop_axis"))
    groups = [[axis] for axis in range(rank)]
    groups[start : stop + 1] = [list(range(start, stop + 1))]
    return merged(b, x, op["X"].dims, groups)


def _shape(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.shape_of(x, "i32" if op.output().dtype == DType.INT32 else "i64")


def _assign(_: Builder, __: BridgeOp, x: Tensor) -> Tensor:
    return x


bridge("openvino", "squeeze2")(Row("X", _squeeze, ANY, check=_why_not_squeeze))
bridge("openvino", "unsqueeze2")(Row("X", _unsqueeze, ANY, check=_why_not_unsqueeze))
bridge("openvino", "flatten2")(Row("X", _flatten2, ANY))
bridge("openvino", "flatten_contiguous_range")(Row("X", _flatten_range, ANY))
bridge("openvino", "transpose2")(Row("X", transposed, ANY))
bridge("openvino", "shape")(Row("Input", _shape, ANY))
bridge("openvino", "assign")(Row("X", _assign, ANY))
