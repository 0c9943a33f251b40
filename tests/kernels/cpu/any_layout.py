"""Run a compiled kernel for any layout as the runtime does: prepared for its shapes, into buffers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from lite.ir.types import Array, Layout
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import PrepareContext, host_kernel
from tests.kernels.cpu.prepared import compiled_kernel

Results = tuple[Array, ...]


def run_prepared(
    op: str,
    inputs: dict[str, Array],
    attrs: dict[str, Any],
    constants: Collection[str] = (),
    *,
    tolerance: float = 1e-5,
) -> Results | None:
    """All outputs of an op, by the function that its kernel prepares; None where it prepares none.

    They must be the same in new arrays and in buffers, and those of the host's kernel but for rounding.
    """
    schema, kernel = get_schema(op), compiled_kernel(op, Layout.ANY)
    values = schema.attr_values(attrs)
    metas = {slot: [Meta.of(array, known=slot in constants)] for slot, array in inputs.items()}
    outputs = infer(schema, metas, values, dict.fromkeys(schema.outputs, 1))
    arguments = [inputs.get(slot) for slot in kernel.slots]
    assert kernel.prepare is not None
    run = kernel.prepare(PrepareContext(metas, outputs, values, lambda _, make: make()))
    expected = on_host(op, inputs, values)
    plain = kernel.run(*arguments, **{name: values[name] for name in kernel.attrs})
    same_as_host(_tuple(plain), expected, tolerance)
    if run is None:
        return None
    results = _tuple(run(*arguments))
    same_as_host(results, expected, tolerance)
    buffers = tuple(np.full_like(part, np.nan) for part in results)
    run(*arguments, out=buffers if len(schema.outputs) > 1 else buffers[0])
    for part, buffer in zip(results, buffers, strict=True):
        np.testing.assert_array_equal(buffer, part)
    return results


def on_host(op: str, inputs: dict[str, Array], values: dict[str, Any]) -> Results:
    """All outputs of an op by the host's kernel."""
    kernel = host_kernel(op)
    arguments = [inputs.get(slot) for slot in kernel.slots]
    return _tuple(kernel.run(*arguments, **{name: values[name] for name in kernel.attrs}))


def same_as_host(found: Results, expected: Results, tolerance: float) -> None:
    """The same shapes, dtypes and, but for rounding, elements."""
    for part, other in zip(found, expected, strict=True):
        assert part.shape == other.shape
        assert part.dtype == other.dtype
        close(part, other, tolerance)


def close(found: Array, expected: Array, tolerance: float = 1e-5) -> None:
    """Equal to so much of the largest finite element; infinities and NaN at the same places."""
    assert found.shape == expected.shape
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def _tuple(returned: Any) -> Results:
    return returned if isinstance(returned, tuple) else (returned,)
