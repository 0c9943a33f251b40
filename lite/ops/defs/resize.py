"""Resizing of images, and ops that move pixels between space and channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim
from lite.ops.attrs import Attr, choice, floats, ints, number
from lite.ops.resize_sizes import OUT_ATTRS, factors, resized, scaled
from lite.ops.rules import apply, same_as, total
from lite.ops.schema import LOD_BY_KERNEL, Canonical, Trait, op
from lite.ops.view import Meta, OpView
from lite.ops.window import channels, check_windows, image_shape, paddings_by_axis, spatial, windows

_METHODS = {"linear": 1, "bilinear": 2, "nearest": 2, "bicubic": 2, "trilinear": 3}
"""Each method with its number of spatial axes."""
_LAYOUTS = {1: "NCHW", 2: "NCHW", 3: "NCDHW"}


def _sizes(op: OpView, image: Sequence[Dim]) -> list[Dim]:
    """The output sizes from the first of SizeTensor, OutSize, Scale, `scale` and the size attributes."""
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
    numbers = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    ratios = factors(numbers, len(image))
    if ratios:
        return [scaled(size, ratio) for size, ratio in zip(image, ratios, strict=True)]
    sizes = [op.integer(name) for name in OUT_ATTRS[-len(image) :]]
    if min(sizes) < 1:
        raise op.error("output size", f"{len(image)} positive sizes", sizes)
    return [*sizes]


def _interp(op: OpView) -> Meta:
    x, layout = op["X"].dims, op.text("data_layout")
    image = spatial(layout, x)
    sizes = _sizes(op, image)
    if len(sizes) != len(image) or any(isinstance(size, int) and size < 0 for size in sizes):
        raise op.error("output size", f"{len(image)} sizes, none negative", sizes)
    return Meta(op["X"].dtype, image_shape(layout, x[0], channels(layout, x), sizes))


def _as_v2(old: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
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
        f"{_method.capitalize()} resizing over {_axes} spatial {'axis' if _axes == 1 else 'axes'}.",
        _slots,
        "Out",
        _interp,
        attrs={**_attrs, "scale": floats(), "ratio_from_sizes": False, "ratio_for_one": False},
        attr_slots={"Scale": "scale"},
    )
    op(
        f"{_method}_interp",
        f"Old spelling of {_method}_interp_v2.",
        _slots,
        "Out",
        _interp,
        attrs={**_attrs, "scale": 0.0},
        canonical=Canonical(f"{_method}_interp_v2", _as_v2),
    )


def _resize(op: OpView) -> Meta:
    x = op["X"].dims
    axes = [op["X"].axis(axis) for axis in op.integers("axes")] or list(range(len(x)))
    sizes, scales = op.values("Sizes"), op.get("Scales")
    ratios = None if scales is None or scales.value is None else scales.value.reshape(-1).tolist()
    out: list[Dim] = list(x)
    image = [x[axis] for axis in axes]
    known = [size for size in image if isinstance(size, int)]
    if (sizes is None and ratios is None) or len(known) < len(image):
        result: list[Dim] = [UNKNOWN] * len(axes)
        if sizes is not None and op.text("keep_aspect_ratio_policy") == "stretch":
            result = [*sizes]
        if sizes is None and ratios is not None:
            result = [
                size if ratio == 1 else scaled(size, ratio) for size, ratio in zip(image, ratios, strict=True)
            ]
    else:
        result = [*resized(known, sizes, ratios, op.text("keep_aspect_ratio_policy"))[0]]
    for axis, size in zip(axes, result, strict=True):
        out[axis] = size
    return Meta(op["X"].dtype, tuple(out))


op(
    "resize",
    "Resizing along any axes with all choices of ONNX Resize.",
    "X:number/1- Roi?:float/1 Scales?:float/1 Sizes?:int/1",
    "Out",
    _resize,
    attrs={
        "mode": choice("nearest", "linear", "cubic"),
        "coordinate_transformation_mode": choice(
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_crop_and_resize",
            "tf_half_pixel_for_nn",
        ),
        "nearest_mode": choice("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
        "cubic_coeff_a": -0.75,
        "exclude_outside": False,
        "extrapolation_value": 0.0,
        "antialias": False,
        "axes": ints(),
        "keep_aspect_ratio_policy": choice("stretch", "not_larger", "not_smaller"),
    },
)


def _pixel_shuffle(op: OpView) -> Meta:
    x, factor, layout = op["X"].dims, op.integer("upscale_factor"), op.text("data_format")
    channel = channels(layout, x)
    if isinstance(channel, int) and channel % factor**2:
        raise op.error("X", f"a multiple of {factor**2} channels", op["X"])
    sizes = [apply(size, lambda n: n * factor) for size in spatial(layout, x)]
    return Meta(op["X"].dtype, image_shape(layout, x[0], apply(channel, lambda n: n // factor**2), sizes))


def _unfold(op: OpView) -> Meta:
    check_windows(op, 2, ("kernel_sizes", "strides", "dilations"))
    n, channel, *image = op["X"].dims
    kernel = op.integers("kernel_sizes")
    over = windows(image, kernel, op.integers("strides"), op.integers("dilations"), _paddings(op), "EXPLICIT")
    positions = total([window.out(size) for window, size in zip(over, image, strict=True)])
    return Meta(op["X"].dtype, (n, apply(channel, lambda c: c * kernel[0] * kernel[1]), positions))


def _paddings(op: OpView) -> list[int]:
    return paddings_by_axis(op.integers("paddings"))


def _im2sequence(op: OpView) -> Meta:
    check_windows(op, 2, ("kernels", "strides"))
    n, channel, *image = op["X"].dims
    kernel = op.integers("kernels")
    rows: Dim = UNKNOWN
    if op.get("Y") is None:
        over = windows(image, kernel, op.integers("strides"), (1, 1), _paddings(op), "EXPLICIT")
        rows = total([n, *(window.out(size) for window, size in zip(over, image, strict=True))])
    return Meta(op["X"].dtype, (rows, apply(channel, lambda c: c * kernel[0] * kernel[1])))


op(
    "pixel_shuffle",
    "Moves blocks of channels to blocks of pixels.",
    "X/4",
    "Out",
    _pixel_shuffle,
    attrs={"upscale_factor": number(1, 1), "data_format": choice("NCHW", "NHWC")},
)
op(
    "shuffle_channel",
    "Transposes the channels as groups by channels per group.",
    "X/4",
    "Out",
    same_as("X"),
    attrs={"group": number(1, 1)},
)
op(
    "temporal_shift",
    "Shifts part of the channels forwards and backwards in time.",
    "X/4",
    "Out",
    same_as("X"),
    attrs={"seg_num": number(1, 1), "shift_ratio": 0.25, "data_format": choice("NCHW", "NHWC")},
)
op(
    "unfold",
    "Windows of an image as columns.",
    "X/4",
    "Y",
    _unfold,
    attrs={
        "kernel_sizes": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0, 0, 0),
        "dilations": ints(1, 1),
    },
    traits=(Trait.WINDOW,),
)
op(
    "im2sequence",
    "Windows of an image as rows of a sequence.",
    "X/4 Y?",
    "Out",
    _im2sequence,
    attrs={
        "kernels": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0, 0, 0),
        "out_stride": ints(1, 1),
    },
    lod=LOD_BY_KERNEL,
    traits=(Trait.WINDOW,),
)
