"""Runs one op on the host as the engine would, and checks what no test should have to repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ops import Meta, check_slots, get_schema, infer
from lite.plugin.evaluate import host_kernel, outputs_by_slot, slot_argument
from lite.plugin.kernel import Array


def run_op(
    op: str,
    inputs: Mapping[str, Array | Sequence[Array]],
    attrs: Mapping[str, AttrValue] | None = None,
    outputs: Sequence[str] = ("Out",),
) -> list[Array]:
    """The outputs named in `outputs` (one value per slot).

    The inputs are read-only meanwhile.  Shapes and dtypes are those of the shape rule.  A kernel that
    writes into buffers gives the same there as without them.
    """
    schema = get_schema(op)
    arrays = {slot: [_locked(a) for a in (v if isinstance(v, list) else [v])] for slot, v in inputs.items()}
    counts = dict.fromkeys(outputs, 1)
    check_slots(schema, {slot: len(found) for slot, found in arrays.items()}, counts)
    values = schema.attr_values(attrs or {})
    metas = {slot: [Meta.of(a) for a in found] for slot, found in arrays.items()}
    rule = infer(schema, metas, values, counts)
    kernel = host_kernel(op)
    arguments = [slot_argument(schema, slot, arrays.get(slot, ())) for slot in kernel.slots]
    keywords: dict[str, Any] = {name: values[name] for name in kernel.attrs}
    found = outputs_by_slot(schema, kernel.run(*arguments, **keywords), counts)
    results = [np.asarray(found[slot][0]) for slot in outputs]
    for slot, result in zip(outputs, results, strict=True):
        assert (result.shape, result.dtype) == (rule[slot][0].shape, rule[slot][0].dtype.numpy), op
    if kernel.takes_out:
        buffers = [np.full(r.shape, 7, r.dtype) for r in results]
        kernel.run(*arguments, **keywords, out=buffers[0] if len(schema.outputs) == 1 else tuple(buffers))
        for buffer, result in zip(buffers, results, strict=True):
            np.testing.assert_array_equal(buffer, result)
    return results


def _locked(array: Any) -> Array:
    locked = np.array(array)
    locked.flags.writeable = False
    return locked
