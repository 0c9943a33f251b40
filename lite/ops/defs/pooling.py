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
    check_windows(op, 2, ("ksize", "strides"))
    if not op["X"].dtype.is_float and op.text("pooling_type") != "max":
        raise op.error("slot X", "floating point numbers, of which there is an average", op["X"])
    data_format, x = op.text("data_format"), op["X"].dims
    sizes = _pooled(op, spatial(data_format, x), op.text("padding_algorithm"), op.flag("ceil_mode"))
    return Meta(op["X"].dtype, image_shape(data_format, x[0], channels(data_format, x), sizes))


def _with_index(op: OpView) -> Inferred:
    check_windows(op, 2, ("ksize", "strides"))
    x = op["X"].dims
    sizes: list[Dim] = [1, 1] if op.flag("global_pooling") else _pooled(op, x[2:], "EXPLICIT", ceil=False)
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
    "max_pool2d_with_index",
    "Maximum pooling of images, with the position of each maximum.",
    "X:float/4",
    "Out Mask?",
    _with_index,
    attrs={
        "ksize": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0),
        "global_pooling": False,
        "adaptive": False,
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
