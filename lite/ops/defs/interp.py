"""Resizing of images: linear, bilinear, trilinear, bicubic and nearest, in both versions."""

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim
from lite.ops.schema import Attr, Canonical, floats, op
from lite.ops.view import Meta, OpView
from lite.ops.window import channels, image_shape, spatial

OUT_ATTRS = ("out_d", "out_h", "out_w")
"""The attributes that hold the output's sizes; an op with n spatial axes reads the last n."""

_METHODS = {"linear": 1, "bilinear": 2, "nearest": 2, "bicubic": 2, "trilinear": 3}
_LAYOUTS = {1: "NCHW", 2: "NCHW", 3: "NCDHW"}


def scaled(size: Dim, factor: float) -> Dim:
    """``size · factor``, computed and cut in single precision as Paddle does."""
    return int(np.float32(size) * np.float32(factor)) if isinstance(size, int) else UNKNOWN


def factors(scale: Sequence[float], axes: int) -> list[float]:
    """One factor per axis, from one for all or one each; an empty list when there are none."""
    if not scale or min(scale) <= 0:
        return []
    return list(scale) if len(scale) == axes else [scale[0]] * axes


def _sizes(op: OpView, image: Sequence[Dim]) -> list[Dim]:
    """SizeTensor counts before OutSize, that before Scale, that before `scale`, and the sizes last."""
    unknown: list[Dim] = [UNKNOWN] * len(image)
    tensors = op.all("SizeTensor")
    if tensors:
        return [UNKNOWN if meta.value is None else int(meta.value.reshape(-1)[0]) for meta in tensors]
    if op.get("OutSize") is not None:
        values = op.values("OutSize")
        return unknown if values is None else [*values]
    scale = op.get("Scale")
    if scale is not None and scale.value is None:
        return unknown
    found = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    given = factors(found, len(image))
    if given:
        return [scaled(size, factor) for size, factor in zip(image, given, strict=True)]
    return [op.integer(name) for name in OUT_ATTRS[-len(image) :]]


def _interp(op: OpView) -> Meta:
    x, layout = op["X"].dims, op.text("data_layout")
    image = spatial(layout, x)
    sizes = _sizes(op, image)
    if len(sizes) != len(image) or any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("output size", f"{len(image)} positive sizes", sizes)
    return Meta(op["X"].dtype, image_shape(layout, x[0], channels(layout, x), sizes))


def _newer(old: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    scale = old["scale"]
    factor = [scale] if isinstance(scale, float) and scale > 0 else []
    return {**old, "scale": factor, "ratio_from_sizes": True}


for _method, _axes in _METHODS.items():
    _kind = "any" if _method == "nearest" else "float"
    _slots = f"X:{_kind}/{_axes + 2} OutSize?:int SizeTensor?*:int Scale?:number"
    _attrs: dict[str, AttrValue | Attr] = {
        **dict.fromkeys(OUT_ATTRS, 0),
        "align_corners": True,
        "align_mode": 1,
        "data_layout": _LAYOUTS[_axes],
    }
    op(
        f"{_method}_interp_v2",
        _slots,
        "Out",
        _interp,
        attrs={**_attrs, "scale": floats(), "ratio_from_sizes": False},
        attr_slots={"Scale": "scale"},
    )
    op(
        f"{_method}_interp",
        _slots,
        "Out",
        _interp,
        attrs={**_attrs, "scale": 0.0},
        canonical=Canonical(f"{_method}_interp_v2", _newer),
    )
