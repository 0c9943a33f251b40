"""The contract for kernel authors: a kernel is a function from arrays to arrays under `@kernel`.

A kernel is registered for an op and a target, for one element type and layout or for any::

    @kernel("clip")
    def clip(X: Array, *, min: float, max: float, out: Array | None = None) -> Array:
        return np.clip(X, min, max, out=out)

**Inputs** are the function's positional parameters, named after the op's input slots.  An optional slot
that the op does not use is None, a repeated slot is a list of arrays, a tensor array is a list, too.  A
kernel lists only the slots that it reads.  Where the function takes ``*arrays``, `slots` lists them.

**Attributes** are its keyword-only parameters, named after the op's attributes, with the schema's defaults
filled in.  A kernel lists only those that it reads.  Several ops or targets with the same long list share a
frozen dataclass, whose fields are attributes of the same names and types; the function then has one keyword
parameter ``attrs``, which is filled once for each set of shapes, not at each run::

    @kernel("conv2d", attrs=ConvAttributes)
    def conv2d(Input: Array, Filter: Array, *, attrs: ConvAttributes) -> Array: ...

With ``attrs=Attributes`` it receives all attributes of the op by name (`lite.ir.attributes`).

**Results** are an array, a list for a repeated output slot, or a tuple in the order of the schema's output
slots where there are several.  Trailing optional ones may be missing; an absent one is None.

**Reserved keyword parameters** a kernel may have besides its attributes:

``out``    Buffers for the results, in the structure of the results, or None.  A kernel with this parameter
           writes its results there when they are given.  Its outputs' shapes must follow from the shapes and
           attributes of its inputs, not from their elements.
``lods``   The LoDs of the inputs by slot, each a list.  A kernel with this parameter (the op's schema says
           ``lod="kernel"``) returns ``(results, {output slot: [LoD, ...]})``.
``metas``  The metas of the outputs by slot, as the op's shape rule inferred them.

**Preparing.**  `prepare` is called once for each set of input shapes, all of them known.  It packs constant
weights or chooses an algorithm, and returns the function to run instead of the kernel's, or None.  That
function takes the same slots and ``out``, and no attributes::

    def _prepare(ctx: PrepareContext) -> KernelFunction | None:
        weight, groups = ctx.constant("Filter"), ctx.attrs.integer("groups")
        ...
        return run

    @kernel("conv2d", attrs=ConvAttributes, prepare=_prepare, packs=("Filter",))

`packs` are slots whose constants the returned function no longer reads, because it holds them packed.

**Falling back.**  A kernel that is fast in some cases only may leave the others to another target.  With
`fallback`, the decorated function is `prepare` itself.  Where it returns None, and where nothing can be
prepared, the kernel of the target `fallback` for the same op runs, prepared where it can be.  The function
that `prepare` returns takes the arrays of `slots` (by default all input slots of the op) and always ``out``.
With `per_run`, for kernels that take longer than to prepare them, `prepare` is called in the run where
shapes are unknown before it, and again where they change.  It lists the slots whose elements give sizes::

    @kernel("softmax", "cpu", dtype=DType.FLOAT32, fallback="host")
    def softmax(ctx: PrepareContext) -> KernelFunction | None:
        if ctx.attrs.integer("axis") != -1:
            return None
        ...
        return run

**Launching.**  A prepared function that does nothing but call compiled functions on its arrays may be
returned as ``only_launches(run)``: the runtime then calls several of them without Python in between; see
`lite.plugin.kernel.launches`, also for functions that may fail.

**Layouts.**  A kernel with ``layout=Layout.NHWC`` receives each input of rank 4 with its axes in that order
(filters as ``[O, H, W, I]``) and returns outputs of rank 4 so; the op's attributes describe NCHW all the
same.  Its fallback adapts both (`lite.plugin.kernel.fallback`).  Where an op of a target has one kernel for
NHWC and one for NCHW, the layouts of its neighbours decide which of them runs.

**Names.**  The file that registers a kernel spells the op's name as a string literal, or has
``ops_with(Trait.NAME)`` for a trait of the op: the loader imports only the files that a model needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from lite.dataclass import dataclass
from lite.errors import PluginError
from lite.ir.types import HOST, Array, DType, Layout, Place
from lite.plugin.kernel.prepare import KernelFunction, Prepare, PrepareContext
from lite.plugin.kernel.scratch import Scratch
from lite.plugin.kernel.signature import Keywords, Registration
from lite.plugin.registry import Registry

__all__ = [
    "KERNELS",
    "KERNEL_ERRORS",
    "Array",
    "Kernel",
    "KernelFunction",
    "Prepare",
    "PrepareContext",
    "Scratch",
    "kernel",
    "kernels_of",
    "unregister",
    "write",
    "write_all",
]

F = TypeVar("F", bound=KernelFunction)
P = TypeVar("P", bound=Prepare)

KERNEL_ERRORS = (
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
)
"""Errors of a kernel whose arguments do not fit; any other error is a bug and is not caught."""


@dataclass(frozen=True)
class Kernel:
    """A registered kernel.

    `run` takes the arrays of `slots`, and what `keywords` makes from the op's attributes.  A kernel with a
    `fallback` has none of its own: see `lite.plugin.kernel.fallback.runnable`.
    """

    op: str
    place: Place
    run: KernelFunction
    prepare: Prepare | None
    slots: tuple[str, ...]
    attrs: tuple[str, ...]
    keywords: Keywords
    takes_out: bool
    takes_lods: bool
    takes_metas: bool
    packs: tuple[str, ...] = ()
    fallback: str | None = None
    per_run: tuple[str, ...] | None = None


KERNELS: Registry[tuple[str, Place], Kernel] = Registry("kernel")
_BY_OP: dict[str, list[Kernel]] = {}


@overload
def kernel(
    op: str,
    target: str = HOST,
    *,
    dtype: DType | None = None,
    layout: Layout = Layout.ANY,
    slots: Sequence[str] | None = None,
    attrs: type | None = None,
    prepare: Prepare | None = None,
    packs: Sequence[str] = (),
) -> Callable[[F], F]: ...
@overload
def kernel(
    op: str,
    target: str,
    *,
    dtype: DType | None = None,
    layout: Layout = Layout.ANY,
    slots: Sequence[str] | None = None,
    packs: Sequence[str] = (),
    fallback: str,
    per_run: Sequence[str] | None = None,
) -> Callable[[P], P]: ...
def kernel(
    op: str,
    target: str = HOST,
    *,
    dtype: DType | None = None,
    layout: Layout = Layout.ANY,
    slots: Sequence[str] | None = None,
    attrs: type | None = None,
    prepare: Prepare | None = None,
    packs: Sequence[str] = (),
    fallback: str | None = None,
    per_run: Sequence[str] | None = None,
) -> Callable[[F], F]:
    """Register the decorated function as the kernel of `op` on `target`, as this file's docstring describes.

    Raises `PluginError` with file, line and op when the op is unknown, when the function or the arguments do
    not fit its schema, and when the op has a kernel for that place already.
    """
    place = Place(target, dtype, layout)

    def register(function: F) -> F:
        registration = Registration(op, place, function)
        if fallback is None:
            entry = _with_function(registration, place, slots, attrs, prepare, packs)
        elif prepare is None and attrs is None:
            entry = _with_fallback(registration, place, slots, packs, fallback, per_run=per_run)
        else:
            raise registration.error(
                "with fallback= the function is `prepare`: leave out prepare= and attrs="
            )
        KERNELS.add((op, place), entry, registration.module)
        _BY_OP.setdefault(op, []).append(entry)
        return function

    return register


def kernels_of(op: str) -> Sequence[Kernel]:
    """The kernels of an op in order of registration; load them first (`loader.load_kernels`)."""
    return _BY_OP.get(op, ())


def unregister(op: str, place: Place) -> None:
    """Remove a kernel (tests that register one for a moment)."""
    _BY_OP[op].remove(KERNELS.get((op, place)))
    KERNELS.remove((op, place))


def write(out: Array | None, result: Array) -> Array:
    """`result`, or `out` after the result was copied there: the last line of kernels without ufuncs."""
    if out is None or out is result:
        return result
    np.copyto(out, result)
    return out


def write_all(out: Sequence[Array | None] | None, *results: Array) -> tuple[Array, ...]:
    """The results, each copied to its buffer in `out` if there is one: `write` for several outputs."""
    if out is None:
        return results
    return tuple(write(buffer, result) for buffer, result in zip(out, results, strict=False))


def _with_function(
    registration: Registration,
    place: Place,
    slots: Sequence[str] | None,
    attrs: type | None,
    prepare: Prepare | None,
    packs: Sequence[str],
) -> Kernel:
    signature = registration.signature(slots, attrs)
    registration.check_packs(packs, signature.slots)
    return Kernel(
        registration.op,
        place,
        registration.function,
        prepare,
        signature.slots,
        signature.attrs,
        signature.keywords,
        "out" in signature.reserved,
        "lods" in signature.reserved,
        "metas" in signature.reserved,
        tuple(packs),
    )


def _with_fallback(
    registration: Registration,
    place: Place,
    slots: Sequence[str] | None,
    packs: Sequence[str],
    fallback: str,
    *,
    per_run: Sequence[str] | None,
) -> Kernel:
    inputs = tuple(registration.schema.inputs)
    slots = inputs if slots is None else tuple(slots)
    registration.check_slots(slots)
    registration.check_packs(packs, inputs)
    registration.check_fallback(place.target, fallback)
    where = registration.where

    def refuse(*_: object, **__: object) -> Any:
        raise PluginError(f"{where} only prepares; what runs instead is `runnable` of it")

    return Kernel(
        registration.op,
        place,
        refuse,
        registration.function,
        slots,
        (),
        lambda _: {},
        takes_out=True,
        takes_lods=False,
        takes_metas=False,
        packs=tuple(packs),
        fallback=fallback,
        per_run=None if per_run is None else tuple(per_run),
    )
