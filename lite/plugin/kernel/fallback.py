"""The kernel that runs where another one only prepares and declines (``@kernel(..., fallback="host")``).

It gets the same slots and attributes.  A kernel for NHWC has images, and filters, with their axes in that
order, which its fallback does not: an op with an attribute for the order of its images (``data_format``)
keeps them, and only its filter is transposed; of other ops all arrays of rank 4 are transposed.  Both are
views: no element is copied before the fallback's kernel reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

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
"""The slot that an attribute for the order of images does not speak of."""

_ORDER_ATTRIBUTES = ("data_format", "data_layout")


def host_kernel(op: str) -> Kernel:
    """The host's kernel of an op, imported when needed; raises `PluginError` when there is none."""
    found = _find(op, lambda place: place.target == HOST)
    if found is None:
        raise PluginError(f"op {op!r} has no {HOST} kernel")
    return found


def runnable(kernel: Kernel) -> Kernel:
    """The kernel to run where nothing is prepared: this one, or its fallback."""
    return kernel if kernel.fallback is None else fallback_of(kernel)


def fallback_of(kernel: Kernel) -> Kernel:
    """The kernel of the fallback's target, taking arrays in the layout of `kernel`, and ``out``.

    Raises `PluginError` when that target has none for the op and element type, or has one that cannot stand
    in: it only prepares, too, takes LoDs or metas, or cannot read the memory of the kernel's target.
    """
    target, place = kernel.fallback or HOST, kernel.place
    where = f"kernel {kernel.op} ({place}) falls back to target {target!r}"
    found = _find(
        kernel.op,
        lambda other: (
            other.target == target
            and other.dtype in (None, place.dtype)
            and other.layout in (Layout.ANY, Layout.NCHW, place.layout)
        ),
    )
    if found is None:
        raise PluginError(f"{where}, which has no kernel of that op for {place.dtype or 'any'} elements")
    if found.fallback is not None or found.takes_lods or found.takes_metas:
        raise PluginError(f"{where}, whose kernel only prepares, or takes `lods` or `metas`")
    if not shares_memory(place.target, target):
        raise PluginError(f"{where}, which does not share memory with {place.target!r}")
    is_nhwc = place.layout is Layout.NHWC and found.place.layout is not Layout.NHWC
    return _adapted(found, _order_of(found) if is_nhwc else _Order(frozenset(), is_result=False))


@dataclass(frozen=True)
class _Order:
    """The slots whose arrays are transposed to NCHW, and attributes that describe the others as NHWC."""

    slots: frozenset[str]
    is_result: bool
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)


def _order_of(kernel: Kernel) -> _Order:
    name = next((name for name in _ORDER_ATTRIBUTES if name in kernel.attrs), None)
    if name is None:
        return _Order(frozenset(kernel.slots), is_result=True)
    return _Order(frozenset({_FILTER}), is_result=False, attrs={name: Layout.NHWC.name})


def _adapted(kernel: Kernel, order: _Order) -> Kernel:
    prepare = kernel.prepare

    def prepared(ctx: PrepareContext) -> KernelFunction | None:
        function = None if prepare is None else prepare(_context(ctx, kernel, order))
        return None if function is None else _wrapped(function, kernel, order)

    return replace(
        kernel,
        run=_wrapped(kernel.run, kernel, order),
        prepare=None if prepare is None else prepared,
        keywords=lambda attrs: kernel.keywords({**attrs, **order.attrs}),
        takes_out=True,
    )


def _context(ctx: PrepareContext, kernel: Kernel, order: _Order) -> PrepareContext:
    """The context of the fallback's `prepare`, whose shared arrays have names of their own."""

    def shared(name: str, make: Callable[[], Array]) -> Array:
        return ctx.shared(f"{kernel.place.target} {name}", make)

    return replace(
        ctx,
        inputs={slot: _metas(metas, slot in order.slots) for slot, metas in ctx.inputs.items()},
        outputs={slot: _metas(metas, order.is_result) for slot, metas in ctx.outputs.items()},
        attrs=Attributes(kernel.op, {**ctx.attrs, **order.attrs}),
        shared=shared,
    )


def _metas(metas: Sequence[Meta], is_transposed: bool) -> Sequence[Meta]:
    return [meta_into(meta, Layout.NCHW) for meta in metas] if is_transposed else metas


def _wrapped(function: KernelFunction, kernel: Kernel, order: _Order) -> KernelFunction:
    """The function on the caller's arrays, writing to the caller's buffers."""
    transposed = [slot in order.slots for slot in kernel.slots]
    if kernel.takes_out and not any(transposed):
        return function

    def run(*arguments: Any, out: Any = None, **keywords: Any) -> Any:
        values = [
            _each(value, Layout.NCHW) if is_transposed else value
            for value, is_transposed in zip(arguments, transposed, strict=True)
        ]
        if kernel.takes_out:
            keywords["out"] = _each(out, Layout.NCHW) if order.is_result else out
        results = function(*values, **keywords)
        if order.is_result:
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


def _find(op: str, fits: Callable[[Place], bool]) -> Kernel | None:
    """The first kernel of an op on a place that fits, imported when needed."""
    found = _registered(op, fits)
    if found is None:
        load_kernels([op])
        found = _registered(op, fits)
    return found


def _registered(op: str, fits: Callable[[Place], bool]) -> Kernel | None:
    return next((kernel for kernel in kernels_of(op) if fits(kernel.place)), None)
