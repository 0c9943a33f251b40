"""Poolings of images, and over any number of spatial axes after ONNX."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import choice, ints, number
from lite.ops.schema import Trait, op
from lite.ops.view import Inferred, Meta, OpView
from lite.ops.window import channels, check_windows, image_shape, spatial, windows


def _pooled(op: OpView, image: Sequence[Dim], algorithm: str, ceil: bool) -> list[Dim]:
    if op.flag("global_pooling"):
        return [*image] if op.flag("adaptive") else [1] * len(image)
    if op.flag("adaptive"):
        return [*op.integers("ksize")]
    ksize, strides, paddings = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    over = windows(image, ksize, strides, [1] * len(image), paddings, algorithm)
    sizes = [w.out(size, ceil) for w, size in zip(over, image, strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("X", f"an image that a window of {ksize} fits into", op["X"])
    return sizes


def _pool2d(op: OpView) -> Meta:
    check_windows(op, op["X"].rank - 2, ("ksize", "strides"))
    if not op["X"].dtype.is_float and op.text("pooling_type") != "max":
        raise op.error("slot X", "floating point numbers, of which there is an average", op["X"])
    data_format, x = op.text("data_format"), op["X"].dims
    sizes = _pooled(op, spatial(data_format, x), op.text("padding_algorithm"), op.flag("ceil_mode"))
    return Meta(op["X"].dtype, image_shape(data_format, x[0], channels(data_format, x), sizes))


def _with_index(op: OpView) -> Inferred:
    x = op["X"].dims
    check_windows(op, len(x) - 2, ("ksize", "strides"))
    ceil, whole = op.flag("ceil_mode"), [1] * (len(x) - 2)
    sizes = whole if op.flag("global_pooling") else _pooled(op, x[2:], "EXPLICIT", ceil)
    shape = (*x[:2], *sizes)
    return {"Out": Meta(op["X"].dtype, shape), "Mask": Meta(DType.INT32, shape)}


op(
    "pool2d",
    "Maximum or average pooling of images.",
    "X:float|uint8|int8/4",
    "Out",
    _pool2d,
    attrs={
        "pooling_type": choice("max", "avg"),
        "ksize": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0),
        "padding_algorithm": "EXPLICIT",
        "global_pooling": False,
        "adaptive": False,
        "exclusive": True,
        "ceil_mode": False,
        "data_format": "NCHW",
    },
    lod="X",
    traits=(Trait.WINDOW,),
)
op(
    "pool3d",
    "Maximum or average pooling of volumes.",
    "X:float/5",
    "Out",
    _pool2d,
    attrs={
        "pooling_type": choice("max", "avg"),
        "ksize": ints(1, 1, 1),
        "strides": ints(1, 1, 1),
        "paddings": ints(0, 0, 0),
        "padding_algorithm": "EXPLICIT",
        "global_pooling": False,
        "adaptive": False,
        "exclusive": True,
        "ceil_mode": False,
        "data_format": "NCDHW",
    },
    traits=(Trait.WINDOW,),
)
for _axes, _images in ((2, "images"), (3, "volumes")):
    op(
        f"max_pool{_axes}d_with_index",
        f"Maximum pooling of {_images}, with the position of each maximum.",
        f"X:float/{_axes + 2}",
        "Out Mask?",
        _with_index,
        attrs={
            "ksize": ints(*[1] * _axes),
            "strides": ints(*[1] * _axes),
            "paddings": ints(*[0] * _axes),
            "global_pooling": False,
            "adaptive": False,
            "ceil_mode": False,
        },
        traits=(Trait.WINDOW,),
    )


def _pool(op: OpView) -> Inferred:
    x = op["X"].shape
    if x is None:
        return {"Out": Meta(op["X"].dtype, None), "Indices": Meta(DType.INT64, None)}
    rank = len(x) - 2
    check_windows(op, rank, ("ksize", "strides", "dilations"))
    over = windows(
        x[2:],
        op.integers("ksize"),
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )
    ceil = op.flag("ceil_mode")
    shape = (*x[:2], *(w.pooled(size, ceil) for w, size in zip(over, x[2:], strict=True)))
    return {"Out": Meta(op["X"].dtype, shape), "Indices": Meta(DType.INT64, shape)}


def _unpool(op: OpView) -> Meta:
    x = op["X"].dims
    if op.get("Shape") is not None:
        values: Sequence[Dim] = op.values("Shape") or [UNKNOWN] * len(x)
        return Meta(op["X"].dtype, tuple(values))
    check_windows(op, len(x) - 2, ("ksize", "strides"))
    ksize, strides, pads = (op.integers(name) for name in ("ksize", "strides", "paddings"))
    over = windows(x[2:], ksize, strides, [1] * len(ksize), pads, "EXPLICIT")
    sizes = [window.transposed(size) for window, size in zip(over, x[2:], strict=True)]
    return Meta(op["X"].dtype, (*x[:2], *sizes))


op(
    "pool_nd",
    "Pooling over any number of spatial axes, after ONNX MaxPool, AveragePool and LpPool.",
    "X:number/3-",
    "Out Indices?",
    _pool,
    attrs={
        "pooling_type": choice("max", "avg", "lp"),
        "ksize": ints(1),
        "strides": ints(1),
        "paddings": ints(0, 0),
        "padding_algorithm": "EXPLICIT",
        "dilations": ints(1),
        "ceil_mode": False,
        "exclusive": True,
        "norm": number(2, 1),
        "column_major": False,
    },
    traits=(Trait.WINDOW,),
)
op(
    "max_unpool",
    "Puts maxima back to their positions, after ONNX MaxUnpool.",
    "X:number/3- Indices:int/3- Shape?:int/1",
    "Out",
    _unpool,
    attrs={"ksize": ints(1), "strides": ints(1), "paddings": ints(0, 0)},
    traits=(Trait.WINDOW,),
)


def _lp_pool2d(op: OpView) -> Meta:
    check_windows(op, 2, ("kernel_size", "strides"))
    data_format, x = op.text("data_format"), op["x"].dims
    image, ksize = spatial(data_format, x), op.integers("kernel_size")
    if op.flag("global_pooling") or op.flag("adaptive"):
        raise op.error("attributes global_pooling, adaptive", "false: Lp norms are of windows", True)
    over = windows(
        image, ksize, op.integers("strides"), [1, 1], op.integers("paddings"), op.text("padding_algorithm")
    )
    sizes = [w.out(size, op.flag("ceil_mode")) for w, size in zip(over, image, strict=True)]
    return Meta(op["x"].dtype, image_shape(data_format, x[0], channels(data_format, x), sizes))


def _spread(op: OpView) -> Meta:
    x, size = op["X"].dims, op.integers("output_size")
    if len(size) != len(x) - 2 or op.text("data_format") not in ("NCHW", "NCDHW"):
        raise op.error("attribute output_size", f"{len(x) - 2} sizes, for channels before them", size)
    return Meta(op["X"].dtype, (*x[:2], *size))


op(
    "lp_pool2d",
    "The p-norm of windows of images.",
    "x:float/4",
    "out",
    _lp_pool2d,
    attrs={
        "kernel_size": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0),
        "padding_algorithm": "EXPLICIT",
        "global_pooling": False,
        "adaptive": False,
        "ceil_mode": False,
        "data_format": "NCHW",
        "norm_type": 2.0,
    },
    traits=(Trait.WINDOW,),
)
for _name, _rank, _format in (("unpool", 4, "NCHW"), ("unpool3d", 5, "NCDHW")):
    op(
        _name,
        "Puts maxima back to their positions in images of a given size.",
        f"X:number/{_rank} Indices:index/{_rank}",
        "Out",
        _spread,
        attrs={"output_size": ints(), "data_format": _format},
    )
