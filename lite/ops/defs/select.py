"""Ops that pass tensors on: assign, share_data, print, and the choice among several."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Shape
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _passed(slot: str, op: OpView) -> Meta:
    x = op[slot]
    return Meta(x.dtype, x.shape, x.value, x.lod, x.is_array)


def _assign(op: OpView) -> Meta:
    return _passed("X", op)


def _print(op: OpView) -> Meta:
    return _passed("In", op)


def _select_input(op: OpView) -> Meta:
    choices = op.all("X")
    mask = op.values("Mask")
    if mask:
        if not 0 <= mask[0] < len(choices):
            raise op.error("slot Mask", f"a number below {len(choices)}", mask[0])
        return choices[mask[0]]
    shapes = [choice.shape for choice in choices]
    return Meta(choices[0].dtype, _either(shapes), is_array=choices[0].is_array)


def _select_output(_: OpView) -> Inferred:
    """Only one of the outputs will have a value."""
    return {}


def _either(shapes: Sequence[Shape | None]) -> Shape | None:
    """What is true of each of the shapes."""
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    return tuple(
        dim if all(shape is not None and shape[axis] == dim for shape in shapes) else UNKNOWN
        for axis, dim in enumerate(first)
    )


op("assign", "X", "Out", _assign, lod="X", view={"Out": "X"})
op("share_data", "X", "Out", _assign, lod="X", view={"Out": "X"}, canonical="assign")
op(
    "print",
    "In",
    "Out?",
    _print,
    attrs={
        "message": "",
        "summarize": -1,
        "print_tensor_shape": True,
        "print_tensor_type": True,
    },
    lod="In",
    view={"Out": "In"},
    effect=True,
)
op("select_input", "X* Mask:int", "Out", _select_input)
op("select_output", "X Mask:int", "Out*", _select_output)
