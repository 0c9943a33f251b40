"""Vectors divided by their lengths: rms_norm, norm and lp_normalize."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function, Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_divide_by_lengths = Function("norm.divide_by_lengths")

_PASSES = 2
"""How much more than a copy it costs."""


def _division(scale: Any, epsilon: float, divisor: int, rows: int, size: int) -> Job:
    """Takes x, `scale` where that is `FREE`, the result, and room for the lengths of the rows."""
    return _divide_by_lengths.bind(
        FREE, scale, FREE, FREE, epsilon, divisor, size,
        count=rows, cost=_PASSES * PER_ELEMENT * rows * size,
    )  # fmt: skip


def _ints(meta: Meta) -> list[int]:
    return [int(dim) for dim in meta.dims if isinstance(dim, int)]


def _rows(ctx: PrepareContext, first: int) -> tuple[int, int] | None:
    """How many rows there are, and of what size, if the axes from `first` on are one; None if it is empty."""
    x = ctx.inputs["X"][0]
    if not x.is_static or not math.prod(_ints(x)):
        return None
    return math.prod(_ints(x)[:first]), math.prod(_ints(x)[first:])


def _last_axis(ctx: PrepareContext) -> tuple[int, int] | None:
    """Rows and their size where the op's axis is the last one."""
    x, axis = ctx.inputs["X"][0], ctx.attrs["axis"]
    return _rows(ctx, x.rank - 1) if x.is_static and axis in (-1, x.rank - 1) else None


def _prepare_rms_norm(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    found, scales = _rows(ctx, attrs["begin_norm_axis"]), ctx.inputs.get("Scale")
    if found is None or (scales and not _is_row(scales[0], found[1])):
        return None
    rows, size = found
    lengths = ctx.scratch((rows,))
    scale = FREE if scales else np.ones(size, np.float32)
    divide = _division(scale, attrs["epsilon"], size, rows, size)

    def run(X: Array, Scale: Array | None, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        if Scale is None:
            divide(X, y, lengths.array)
        else:
            divide(X, Scale, y, lengths.array)
        return y

    return run


def _is_row(scale: Meta, size: int) -> bool:
    """Whether it has a number for each element of a row, so that it meets the rows as they are."""
    return scale.is_static and scale.dtype is DType.FLOAT32 and math.prod(_ints(scale)) == size


@kernel("rms_norm", "cpu", dtype=DType.FLOAT32, prepare=_prepare_rms_norm)
def rms_norm(
    X: Array, Scale: Array | None, *, epsilon: float, begin_norm_axis: int, out: Array | None = None
) -> Array:
    """``X / sqrt(mean(X²) + epsilon) · Scale``, the mean over the axes from `begin_norm_axis` on."""
    attrs = {"epsilon": epsilon, "begin_norm_axis": begin_norm_axis}
    return on_host("rms_norm", {"X": X, "Scale": Scale}, attrs, out)


def _prepare_norm(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    found = _last_axis(ctx)
    if found is None:
        return None
    rows, size = found
    divide = _division(np.ones(size, np.float32), attrs["epsilon"], 1, rows, size)

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = out or (None,)
        y = np.empty(X.shape, np.float32) if buffers[0] is None else buffers[0]
        norm = buffers[1] if len(buffers) > 1 else None
        lengths = np.empty((*X.shape[:-1], 1), np.float32) if norm is None else norm
        divide(X, y, lengths)
        return y, lengths

    return run


def _prepare_lp_normalize(ctx: PrepareContext) -> KernelFunction | None:
    found = _last_axis(ctx)
    if found is None or ctx.attrs["porder"] != 2:
        return None
    rows, size = found
    lengths = ctx.scratch((rows,))
    divide = _division(np.ones(size, np.float32), 0.0, 1, rows, size)

    def run(X: Array, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        divide(X, y, lengths.array)
        return y

    return run


@kernel("norm", "cpu", dtype=DType.FLOAT32, prepare=_prepare_norm)
def norm(
    X: Array, *, axis: int, epsilon: float, out: tuple[Array | None, ...] | None = None
) -> tuple[Array, Array]:
    """``X / Norm`` with ``Norm = sqrt(Σ X² + epsilon)`` along an axis."""
    found: Any = on_host("norm", {"X": X}, {"axis": axis, "epsilon": epsilon}, out)
    return found[0], found[1]


@kernel("lp_normalize", "cpu", dtype=DType.FLOAT32, prepare=_prepare_lp_normalize)
def lp_normalize(X: Array, *, axis: int, porder: int, out: Array | None = None) -> Array:
    """`X` divided by its 1- or 2-norms along `axis`; zeros stay zeros."""
    return on_host("lp_normalize", {"X": X}, {"axis": axis, "porder": porder}, out)
