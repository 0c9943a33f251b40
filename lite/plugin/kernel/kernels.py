"""What a kernel author writes: a function from arrays to arrays, under `@kernel`.

The function's positional parameters are the op's input slots (a repeated slot is a list, an absent
one None), its keyword-only parameters are the attributes it reads, and three reserved keywords:

``out``    buffers for the results, in the same structure as the return value, or None.  A kernel that
           has this parameter writes there when it is given; its outputs' shapes must not depend on
           the elements of its inputs.
``lods``   the LoDs of the inputs by slot, each a list.  Such a kernel (its schema says ``lod`` is
           "kernel") returns ``(results, {output slot: [LoD, …]})``.
``metas``  the output metas that the shape rule found, by slot.

The return value is an array, a list for a repeated output slot, or a tuple in the order of the
schema's output slots where there are several (trailing optional ones may be missing, None is absent).

Spell the op's name as a string literal in the file that registers its kernel: that is how the
loader knows which files the ops of a model need.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lite.errors import PluginError
from lite.ir.program import AttrValue
from lite.ir.types import HOST, Array, DType, Layout, Place
from lite.ops.schema import SCHEMAS
from lite.ops.view import Meta
from lite.plugin.kernel.run_context import current_precision, current_work
from lite.plugin.kernel.scratch import ALIGNMENT, Scratch, standalone_scratch
from lite.plugin.registry import Registry

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

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
]

KernelFunction = Callable[..., Any]
"""Arrays in, arrays out, as described at the top of this file."""

F = TypeVar("F", bound=KernelFunction)

_RESERVED = ("out", "lods", "metas")


def current_threads() -> int:
    """How many threads may do the work of the run that this thread is in, or prepares."""
    return current_work().threads


@dataclass(frozen=True)
class PrepareContext:
    """What `prepare` sees: metas of the inputs (constants with their value), attributes, outputs.

    `shared(name, make)` returns what `make` made at the first call with this name for this op: packed
    weights, shared by all signatures and clones.  `precision` is `lite.Config.precision`, `threads` how
    many threads share the work of an op at most.  `room(shape, dtype)` is what `scratch` asks.
    """

    inputs: Mapping[str, Sequence[Meta]]
    outputs: Mapping[str, Sequence[Meta]]
    attrs: Mapping[str, AttrValue]
    shared: Callable[[str, Callable[[], Array]], Array]
    precision: str = field(default_factory=current_precision)
    threads: int = field(default_factory=current_threads)
    room: Callable[[Sequence[int], np.dtype[Any]], Scratch] = standalone_scratch

    def constant(self, slot: str) -> Array | None:
        """The elements of an input that is constant, or None."""
        metas = self.inputs.get(slot)
        return metas[0].value if metas else None

    def scratch(self, shape: Sequence[int], dtype: DTypeLike = np.float32) -> Scratch:
        """Room for intermediate results: an array of this shape while the prepared function runs.

        All kernels of a model use the same memory, one after the other; that of several requests for one
        op is apart.  So a run allocates nothing, and `Predictor.memory` knows of it.
        """
        return self.room(shape, np.dtype(dtype))

    def scratch_per_thread(self, elements: int, dtype: DTypeLike = np.float32) -> Scratch:
        """Room of at least so many elements for each thread: ``[threads, room]``, row k for worker k.

        Rows are whole cache lines, so that no two threads write to the same one.
        """
        line = ALIGNMENT // np.dtype(dtype).itemsize
        return self.scratch((self.threads, -(-elements // line) * line), dtype)


Prepare = Callable[[PrepareContext], KernelFunction | None]
"""Packs weights or chooses an algorithm for concrete shapes; the function to run instead, or None.

What it returns takes the same slots and, if the kernel has it, ``out``; attributes are not passed."""


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
"""What a kernel raises when its arguments do not fit; anything else is a bug and passes through."""


@dataclass(frozen=True)
class Kernel:
    """A registered kernel and what its parameters say of it."""

    op: str
    place: Place
    run: KernelFunction
    prepare: Prepare | None
    slots: tuple[str, ...]
    attrs: tuple[str, ...]
    takes_out: bool
    takes_lods: bool
    takes_metas: bool
    packs: tuple[str, ...] = ()


KERNELS: Registry[tuple[str, Place], Kernel] = Registry("kernel")
_BY_OP: dict[str, list[Kernel]] = {}


def kernel(
    op: str,
    target: str = HOST,
    *,
    dtype: DType | None = None,
    layout: Layout = Layout.ANY,
    prepare: Prepare | None = None,
    packs: Sequence[str] = (),
) -> Callable[[F], F]:
    """Register a function as the kernel of `op` on `target`, for one element type and layout or any.

    `packs` are the slots that what `prepare` returns no longer reads, because it holds their elements
    packed: weights there need no aligned copy of their own.

    Raises `PluginError` when there is one already, when no op has that name, and when a parameter is
    neither a slot nor an attribute of the op.
    """

    def register(function: F) -> F:
        entry = _describe(op, Place(target, dtype, layout), function, prepare, packs)
        KERNELS.add((op, entry.place), entry, function.__module__)
        _BY_OP.setdefault(op, []).append(entry)
        return function

    return register


def kernels_of(op: str) -> Sequence[Kernel]:
    """The kernels of an op in order of registration; load them first (`loader.load_kernels`)."""
    return _BY_OP.get(op, ())


def unregister(op: str, place: Place) -> None:
    """Take a kernel out again (tests that register one for a moment)."""
    _BY_OP[op].remove(KERNELS.get((op, place)))
    KERNELS.remove((op, place))


def _describe(
    op: str, place: Place, function: KernelFunction, prepare: Prepare | None, packs: Sequence[str]
) -> Kernel:
    where = f"kernel {op} ({place}) in {function.__module__}"
    schema = SCHEMAS.get(op)
    if schema is None:
        raise PluginError(f"{where}: no op of that name has a schema")
    slots: list[str] = []
    keywords: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            slots.append(parameter.name)
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            keywords.append(parameter.name)
    strange = [name for name in slots if name not in schema.inputs]
    strange += [name for name in keywords if name not in schema.attrs and name not in _RESERVED]
    strange += [name for name in packs if name not in slots]
    if strange:
        raise PluginError(f"{where}: {', '.join(strange)}: neither a slot nor an attribute of {op}")
    return Kernel(
        op,
        place,
        function,
        prepare,
        tuple(slots),
        tuple(name for name in keywords if name not in _RESERVED),
        "out" in keywords,
        "lods" in keywords,
        "metas" in keywords,
        tuple(packs),
    )


def write(out: Array | None, result: Array) -> Array:
    """`result`, or `out` after the result was copied there: the last line of kernels without ufuncs."""
    if out is None:
        return result
    np.copyto(out, result)
    return out
