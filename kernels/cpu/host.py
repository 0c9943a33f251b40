"""The host's kernels, for what compiled functions do not know."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from lite.plugin.kernel import Array, KernelFunction, PrepareContext, host_kernel


def on_host(op: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any], out: Any) -> Array:
    """What the host's kernel of `op` computes; `inputs` by slot, those it does not take are left out."""
    found = host_kernel(op)
    keywords = {name: attrs[name] for name in found.attrs}
    if found.takes_out:
        keywords["out"] = out
    result: Array = found.run(*(inputs.get(slot) for slot in found.slots), **keywords)
    return result


def on_host_into(op: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any], out: Any) -> Any:
    """`on_host` for an op of several outputs, whose host kernel has no `out`."""
    results = on_host(op, inputs, attrs, None)
    if out is None:
        return results
    for buffer, result in zip(out, results, strict=False):
        if buffer is not None:
            np.copyto(buffer, result)
    return out


def host_function(op: str, ctx: PrepareContext) -> KernelFunction:
    """What the host runs for these shapes; for kernels with the slots of the host's that prepare nothing."""
    found = host_kernel(op)
    prepared = None if found.prepare is None else found.prepare(ctx)
    return prepared or functools.partial(found.run, **{name: ctx.attrs[name] for name in found.attrs})
