"""Ops that change where and how a value is stored, not what it means (litebridge's own, Paddle-Lite's names).

The cast passes insert them where a kernel takes another target, element type or layout than its input
has.  Those that end in ``_once`` run when the model is loaded, on a constant.  X is optional: a block
that did not run leaves its outputs absent, and their casts are absent, too.
"""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import HOST, DType, Layout
from lite.ops.attrs import floats, ints, required
from lite.ops.image_layout import meta_into
from lite.ops.schema import Trait, op
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
    layouts = {str(layout): layout for layout in (Layout.NCHW, Layout.NHWC)}
    layout = layouts.get(op.text(name))
    if layout is None:
        raise op.error(f"attribute {name}", " or ".join(layouts), op.text(name))
    return layout


for _suffix, _when in (("", "."), ("_once", ", when the model is loaded.")):
    op(
        f"io_copy{_suffix}",
        f"X in the memory of another target{_when}",
        "X?",
        "Out",
        _copied,
        attrs={"source": HOST, "destination": HOST},
        lod="X",
        traits=(Trait.LAYOUT_AGNOSTIC,),
        foldable=False,
        once=bool(_suffix),
    )
    op(
        f"calib{_suffix}",
        f"X in another element type; with scales, quantised or dequantised{_when}",
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
        traits=(Trait.LAYOUT_AGNOSTIC,),
        lod="X",
        once=bool(_suffix),
    )
    op(
        f"layout{_suffix}",
        f"A tensor of rank 4 with its axes in another layout; other ranks stay{_when}",
        "X?",
        "Out",
        _laid_out,
        attrs={"from": required(AttrType.STRING), "to": required(AttrType.STRING)},
        lod="X",
        once=bool(_suffix),
    )
