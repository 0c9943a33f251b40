"""Pooling of regions of feature maps, and suppression of sorted boxes."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import Attr, number
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _roi_pool(op: OpView) -> Inferred:
    x, pooled = op["X"], (op.integer("pooled_height"), op.integer("pooled_width"))
    shape = (op["ROIs"].dims[0], x.dims[1], *pooled)
    return {"Out": Meta(x.dtype, shape), "Argmax": Meta(DType.INT64, shape)}


def _psroi_pool(op: OpView) -> Meta:
    x, rows, columns = op["X"], op.integer("pooled_height"), op.integer("pooled_width")
    count = op.integer("output_channels")
    if isinstance(x.dims[1], int) and x.dims[1] != count * rows * columns:
        raise op.error("slot X", f"{count * rows * columns} channels", x)
    return Meta(x.dtype, (op["ROIs"].dims[0], count, rows, columns))


def _nms(_: OpView) -> Meta:
    return Meta(DType.INT64, (UNKNOWN,))


_POOLED: dict[str, AttrValue | Attr] = {
    "pooled_height": number(1, 1),
    "pooled_width": number(1, 1),
    "spatial_scale": 1.0,
}
_SLOTS = "X:float/4 ROIs:float/2 RoisNum:int32/1"

op("roi_pool", "Maxima of the bins of each region.", _SLOTS, "Out Argmax?", _roi_pool, attrs=_POOLED)
op(
    "psroi_pool",
    "Averages of the bins of each region, each from channels of its own.",
    _SLOTS,
    "Out",
    _psroi_pool,
    attrs={**_POOLED, "output_channels": number(1, 1)},
)
op(
    "nms",
    "Indices of boxes, best first, that no better one covers.",
    "Boxes:float/2",
    "KeepBoxesIdxs",
    _nms,
    attrs={"iou_threshold": 1.0},
)
