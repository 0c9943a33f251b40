"""Ops of ours that change where and how a value lies, not what it means (Paddle-Lite's names).

The cast passes insert them where a kernel takes another target, element type or layout than its input
has.  What ends in ``_once`` is computed when the model is loaded, from a constant.  X is optional, since
a block that did not run leaves its outputs absent: their casts are absent, too.
"""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import HOST, DType, Layout
from lite.ops.image_layout import meta_into
from lite.ops.schema import floats, ints, op, required
from lite.ops.view import Meta, OpView


def _copied(op: OpView) -> Meta:
    x = op["X"]
    return Meta(x.dtype, x.shape, x.value, is_array=x.is_array)


def _calibrated(op: OpView) -> Meta:
    return Meta(DType.from_code(op.integer("out_dtype")), op["X"].shape)


def _laid_out(op: OpView) -> Meta:
    source, target = _layout(op, "from"), _layout(op, "to")
    if source is target:
        raise op.error("attribute to", f"another layout than {source}", target)
    return meta_into(op["X"], target)


def _layout(op: OpView, name: str) -> Layout:
    known = {str(layout): layout for layout in (Layout.NCHW, Layout.NHWC)}
    found = known.get(op.text(name))
    if found is None:
        raise op.error(f"attribute {name}", " or ".join(known), op.text(name))
    return found


for _name in ("io_copy", "io_copy_once"):
    # From one target's memory to another's; one of the two is always the host's.
    op(
        _name,
        "X?",
        "Out",
        _copied,
        attrs={"source": HOST, "destination": HOST},
        lod="X",
        foldable=False,
        once=_name.endswith("_once"),
    )

for _name in ("calib", "calib_once"):
    # A plain cast or, with scales, between real numbers and integers that stand for them.
    op(
        _name,
        "X?",
        "Out",
        _calibrated,
        attrs={
            "in_dtype": -1,
            "out_dtype": required(AttrType.INT),
            "scale": floats(),
            "zero_point": ints(),
            "axis": -1,
        },
        lod="X",
        once=_name.endswith("_once"),
    )

for _name in ("layout", "layout_once"):
    # The axes of a value of rank 4 from one order to another; any other rank stays.
    op(
        _name,
        "X?",
        "Out",
        _laid_out,
        attrs={"from": required(AttrType.STRING), "to": required(AttrType.STRING)},
        lod="X",
        once=_name.endswith("_once"),
    )
