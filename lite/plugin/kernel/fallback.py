"""The kernel that runs where a kernel with a fallback declines (``@kernel(..., fallback="host")``).

The fallback's kernel receives the same slots and attributes.  Where the declining kernel is for NHWC and its
fallback is not, arrays are adapted:

- An op with an attribute for the layout of its images (``data_format``, ``data_layout``) keeps its images,
and
  the attribute becomes ``"NHWC"``; only its ``Filter``, which no such attribute describes, is transposed.
- All arrays of rank 4 of any other op are transposed to NCHW, and its results back.

Transposed arrays are views: no element is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.errors import PluginError
from lite.ir.attributes import Attributes
from lite.ir.program import AttrValue
from lite.ir.types import HOST, Array, Layout, Place
from lite.ops.image_layout import array_into, meta_into
from lite.ops.view import Meta
from lite.plugin.kernel.kernels import Kernel, kernels_of
from lite.plugin.kernel.prepare import KernelFunction, PrepareContext
from lite.plugin.kernel.target import shares_memory
from lite.plugin.loader import load_kernels

_FILTER = "Filter"

_LAYOUT_ATTRIBUTES = ("data_format", "data_layout")


def host_kernel(op: str) -> Kernel:
    """The host's kernel of an op, imported when needed; raises `PluginError` for an op without one."""
    other = _find(op, HOST, lambda _: True)
    if other is None:
        raise PluginError(f"op {op!r} has no {HOST} kernel")
    return other


def runnable(kernel: Kernel) -> Kernel:
    """The kernel to run where nothing is prepared: this one, or its fallback."""
    return kernel if kernel.fallback is None else fallback_of(kernel)


def fallback_of(kernel: Kernel) -> Kernel:
    """The fallback's kernel, adapted to the layout of `kernel` and to ``out``.

    Raises `PluginError` when the fallback's target has no kernel for the op and element type, or a kernel
    that cannot replace this one: it has a fallback, too, takes ``lods`` or ``metas``, or cannot read the
    memory of the kernel's target.
    """
    target, place = kernel.fallback or HOST, kernel.place
    where = f"kernel {kernel.op} ({place}) falls back to target {target!r}"
    other = _find(
        kernel.op,
        target,
        lambda candidate: (
            candidate.dtype in (None, place.dtype)
            and candidate.layout in (Layout.ANY, Layout.NCHW, place.layout)
        ),
    )
    if other is None:
        raise PluginError(f"{where}, which has no kernel of that op for {place.dtype or 'any'} elements")
    if other.fallback is not None or other.takes_lods or other.takes_metas:
        raise PluginError(f"{where}, whose kernel only prepares, or takes `lods` or `metas`")
    if not shares_memory(place.target, target):
        raise PluginError(f"{where}, which does not share memory with {place.target!r}")
    is_nhwc = place.layout is Layout.NHWC and other.place.layout is not Layout.NHWC
    return _adapted(other, _nhwc_adaptation(other) if is_nhwc else _Adaptation(frozenset(), is_result=False))


@dataclass(frozen=True)
class _Adaptation:
    """The slots whose arrays are transposed to NCHW, and attributes that describe the others as NHWC."""

    slots: frozenset[str]
    is_result: bool
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)


def _nhwc_adaptation(kernel: Kernel) -> _Adaptation:
    name = next((name for name in _LAYOUT_ATTRIBUTES if name in kernel.attrs), None)
    if name is None:
        return _Adaptation(frozenset(kernel.slots), is_result=True)
    return _Adaptation(frozenset({_FILTER}), is_result=False, attrs={name: Layout.NHWC.name})


def _adapted(kernel: Kernel, adaptation: _Adaptation) -> Kernel:
    prepare = kernel.prepare

    def prepared(ctx: PrepareContext) -> KernelFunction | None:
        function = None if prepare is None else prepare(_context(ctx, kernel, adaptation))
        return None if function is None else _wrapped(function, kernel, adaptation)

    return replace(
        kernel,
        run=_wrapped(kernel.run, kernel, adaptation),
        prepare=None if prepare is None else prepared,
        keywords=lambda attrs: kernel.keywords({**attrs, **adaptation.attrs}),
        takes_out=True,
    )


def _context(ctx: PrepareContext, kernel: Kernel, adaptation: _Adaptation) -> PrepareContext:
    """The context of the fallback's `prepare`, whose shared arrays have names of their own."""

    def shared(name: str, make: Callable[[], Array]) -> Array:
        return ctx.shared(f"{kernel.place.target} {name}", make)

    return replace(
        ctx,
        inputs={slot: _metas(metas, slot in adaptation.slots) for slot, metas in ctx.inputs.items()},
        outputs={slot: _metas(metas, adaptation.is_result) for slot, metas in ctx.outputs.items()},
        attrs=Attributes(kernel.op, {**ctx.attrs, **adaptation.attrs}),
        shared=shared,
    )


def _metas(metas: Sequence[Meta], is_transposed: bool) -> Sequence[Meta]:
    return [meta_into(meta, Layout.NCHW) for meta in metas] if is_transposed else metas


def _wrapped(function: KernelFunction, kernel: Kernel, adaptation: _Adaptation) -> KernelFunction:
    """The function on the caller's arrays, writing to the caller's buffers."""
    transposed = [slot in adaptation.slots for slot in kernel.slots]
    if kernel.takes_out and not any(transposed):
        return function

    def run(*arguments: Any, out: Any = None, **keywords: Any) -> Any:
        values = [
            _each(value, Layout.NCHW) if is_transposed else value
            for value, is_transposed in zip(arguments, transposed, strict=True)
        ]
        if kernel.takes_out:
            keywords["out"] = _each(out, Layout.NCHW) if adaptation.is_result else out
        results = function(*values, **keywords)
        if adaptation.is_result:
            results = _each(results, Layout.NHWC)
        if out is None:
            return results
        if not kernel.takes_out:
            _copy(results, out)
        return out

    return run


def _each(value: Any, layout: Layout) -> Any:
    """The arrays in an argument or result, in this layout."""
    if isinstance(value, list | tuple):
        return type(value)(_each(item, layout) for item in value)
    return None if value is None else array_into(value, layout)


def _copy(results: Any, out: Any) -> None:
    if isinstance(out, list | tuple):
        for result, buffer in zip(results, out, strict=False):
            _copy(result, buffer)
    elif out is not None:
        np.copyto(out, results)


def _find(op: str, target: str, fits: Callable[[Place], bool]) -> Kernel | None:
    """The first kernel of an op on a place of a target that fits, imported when needed."""
    kernel = _registered(op, target, fits)
    if kernel is None:
        load_kernels([op], [target])
        kernel = _registered(op, target, fits)
    return kernel


def _registered(op: str, target: str, fits: Callable[[Place], bool]) -> Kernel | None:
    found = (kernel for kernel in kernels_of(op) if kernel.place.target == target)
    return next((kernel for kernel in found if fits(kernel.place)), None)
