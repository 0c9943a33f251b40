"""Run a host kernel through its `prepare`, as the runtime does with constant weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import Array, Attributes, PrepareContext, host_kernel


def prepared(op: str, inputs: Mapping[str, Array], attrs: Mapping[str, AttrValue], constant: str) -> Array:
    """The only output, with the elements of one slot known beforehand; written into a buffer and not."""
    schema, kernel = get_schema(op), host_kernel(op)
    values = schema.attr_values(attrs)
    metas = {slot: [Meta.of(array, known=slot == constant)] for slot, array in inputs.items()}
    (output,) = schema.outputs
    found = infer(schema, metas, values, {output: 1})
    made: dict[str, Array] = {}

    def shared(name: str, make: Callable[[], Array]) -> Array:
        return made.setdefault(name, make())

    assert kernel.prepare is not None
    run = kernel.prepare(PrepareContext(metas, found, Attributes(op, values), shared))
    assert run is not None
    arguments: list[Any] = [inputs.get(slot) for slot in kernel.slots]
    result: Array = run(*arguments)
    assert result.shape == found[output][0].shape
    buffer = np.full_like(result, 7)
    assert run(*arguments, out=buffer) is buffer
    np.testing.assert_array_equal(buffer, result)
    assert made
    return result
