"""select_input of two branches."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.kernels.cpu.element_types import ELEMENT_TYPES, is_plain
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_select = Function("elements.select")


@kernel("select_input", "cpu", fallback="host")
def select_input(ctx: PrepareContext) -> KernelFunction | None:
    """A copy of the input with the number Mask; None for more than two, and where shapes or types differ."""
    [mask], inputs, [out] = ctx.inputs["Mask"], ctx.inputs["X"], ctx.outputs["Out"]
    alike = all((meta.dtype, meta.shape) == (out.dtype, out.shape) for meta in inputs)
    if len(inputs) != 2 or not alike or out.is_array or math.prod(mask.sizes) != 1:
        return None
    if not is_plain(out.dtype) or mask.dtype not in ELEMENT_TYPES or not math.prod(out.sizes):
        return None
    failures = IndexFailures("Mask", [2])
    size = math.prod(out.sizes) * out.dtype.itemsize
    job = _select.bind(FREE, FREE, FREE, FREE, failures.array, ELEMENT_TYPES[mask.dtype], size)
    empty = functools.partial(np.empty, out.sizes, out.dtype.numpy)

    def run(X: list[Array | None], Mask: Array, *, out: Array | None = None) -> Array:
        result = empty() if out is None else out
        computed = [each for each in X if each is not None]
        if len(computed) < len(X) and X[int(Mask.item())] is None:
            raise ValueError(f"X: no op computed the value at {Mask.item()}, which Mask selects")
        # A branch that did not run has no result; that of the other one stands for it.
        first, second = (computed[0] if each is None else each for each in X)
        job(Mask, first, second, result)
        return result

    return only_launches(run, failures.error)
