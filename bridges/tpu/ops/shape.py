"""Views → Reshape; transpose2 → Permute.  All sizes are known when a region is compiled."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.bridges.tpu.shape_inputs import why_not_unknown_integers
from lite.plugin.device import BridgeOp, bridge


def _view(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    slot = next(iter(op.node.outputs)) if "Out" not in op.node.outputs else "Out"
    return b.shaped(x, op.output(slot).sizes)


def _transpose(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.transposed(x, [op["X"].axis(axis) for axis in op.integers("axis")])


def _checked(name: str, *slots: str) -> Row:
    """A view whose sizes may be in tensors, which must be known."""
    return Row("X", _view, lambda op: why_not_unknown_integers(op, name, *slots), known=slots)


bridge("tpu", "reshape2")(_checked("shape", "ShapeTensor", "Shape"))
bridge("tpu", "squeeze2")(_checked("axes", "AxesTensor"))
bridge("tpu", "unsqueeze2")(_checked("axes", "AxesTensorList", "AxesTensor"))
for _name in ("flatten2", "flatten_contiguous_range"):
    bridge("tpu", _name)(Row("X", _view))
bridge("tpu", "transpose2")(Row("X", _transpose))
