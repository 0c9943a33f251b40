"""Kernels that are prepared in the run, for values whose sizes are unknown before it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lite.ir.attributes import Attributes
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.ops import Meta, OpSchema
from lite.ops.image_layout import infer_in_layout
from lite.ops.view import product
from lite.plan import Instruction
from lite.plugin.kernel import Kernel, KernelFunction, PrepareContext
from lite.plugin.kernel.fallback import runnable


class PreparedPerRun:
    """The function of a kernel that is prepared again where an argument has another shape than before.

    The kernel takes single arrays, none of them as a constant, and the sizes of its results follow from their
    shapes and from the elements of its slots `per_run`.  Instructions with the same attributes may share the
    function, as the layers of a decoder do.
    """

    def __init__(self, kernel: Kernel, schema: OpSchema, item: Instruction, limits: Limits) -> None:
        self._kernel, self._schema, self._item, self._limits = kernel, schema, item, limits
        self._counts = _counts(item)
        self._sizes = [kernel.slots.index(slot) for slot in kernel.per_run or ()]
        other = runnable(kernel)
        keywords = other.keywords(item.attrs)
        self._unprepared = functools.partial(other.run, **keywords) if keywords else other.run
        self._last: tuple[Sequence[object], KernelFunction] | None = None

    def serves(self, kernel: Kernel, item: Instruction) -> bool:
        """Whether another instruction computes the same."""
        return kernel is self._kernel and item.attrs == self._item.attrs and _counts(item) == self._counts

    def __call__(self, *arguments: Array | None, out: Any = None) -> Any:
        """What the kernel returns for these arrays."""
        if any(each is not None and not each.flags.c_contiguous for each in arguments):
            # A prepared function would copy it, as a past that grows in a larger array.
            return self._unprepared(*arguments, out=out)
        key: list[object] = [None if each is None else (each.shape, each.dtype) for each in arguments]
        for place in self._sizes:
            argument = arguments[place]
            key.append(None if argument is None else argument.tolist())
        if self._last is None or self._last[0] != key:
            self._last = key, self._prepared(arguments)
        return self._last[1](*arguments, out=out)

    def _prepared(self, arguments: Sequence[Array | None]) -> KernelFunction:
        inputs: Mapping[str, Sequence[Meta]] = {
            slot: [Meta.of(each, known=place in self._sizes)]
            for place, (slot, each) in enumerate(zip(self._kernel.slots, arguments, strict=True))
            if each is not None
        }
        item, prepare = self._item, self._kernel.prepare
        outputs = infer_in_layout(self._schema, item.place.layout, inputs, item.attrs, self._counts)
        for meta in (meta for metas in outputs.values() for meta in metas if meta.is_static):
            self._limits.check("elements", product(meta.sizes) or 0, f"a result of {item.op}")
        if prepare is None or not all(meta.is_static for metas in outputs.values() for meta in metas):
            return self._unprepared
        without = {slot: [Meta(meta.dtype, meta.shape) for meta in metas] for slot, metas in inputs.items()}
        context = PrepareContext(without, outputs, Attributes(item.op, item.attrs), lambda _, make: make())
        return prepare(context) or self._unprepared


def _counts(item: Instruction) -> dict[str, int]:
    return {slot: len(indices) for slot, indices in item.outputs.items()}
