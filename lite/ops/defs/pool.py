"""Poolings of images."""

from collections.abc import Sequence

from lite.ir.types import Dim, DType
from lite.ops.schema import choice, ints, op
from lite.ops.view import Inferred, Meta, OpView
from lite.ops.window import channels, check_windows, image_shape, spatial, windows


def _pooled(op: OpView, image: Sequence[Dim], algorithm: str, ceil: bool) -> list[Dim]:
    if op.flag("global_pooling"):
        return [*image] if op.flag("adaptive") else [1] * len(image)
    if op.flag("adaptive"):
        return [*op.integers("ksize")]
    ksize, strides, paddings = op.integers("ksize"), op.integers("strides"), op.integers("paddings")
    found = windows(image, ksize, strides, [1] * len(image), paddings, algorithm)
    sizes = [w.out(size, ceil) for w, size in zip(found, image, strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("X", f"an image that a window of {ksize} fits into", op["X"])
    return sizes


def _pool2d(op: OpView) -> Meta:
    check_windows(op, 2, ("ksize", "strides"))
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
    "X:float/4",
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
)
op(
    "max_pool2d_with_index",
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
)
