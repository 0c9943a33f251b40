"""Run a host kernel in all forms in which the engine runs it; build expected results by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Array, DType, Lod
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import Attributes, PrepareContext, evaluate, host_kernel
from lite.plugin.kernel.evaluation import outputs_by_slot, slot_argument

Given = Mapping[str, Array | Sequence[Array]]


def checked(
    op: str,
    inputs: Given,
    attrs: Mapping[str, AttrValue] | None = None,
    outputs: Mapping[str, int] | None = None,
    lods: Mapping[str, Sequence[Lod]] | None = None,
) -> list[Array]:
    """The outputs, slot after slot, of an op run on read-only inputs.

    This also checks that the shape rule agrees, with known and unknown elements and sizes, and that the
    result is the same when written to buffers, and when the kernel is prepared for the shapes.
    """
    arrays = {slot: [_read_only(a) for a in _listed(given)] for slot, given in inputs.items()}
    outputs = outputs or {next(iter(get_schema(op).outputs)): 1}
    before = {slot: [array.copy() for array in given] for slot, given in arrays.items()}
    found = {
        slot: [result.array for result in results]
        for slot, results in evaluate(op, arrays, attrs or {}, outputs, lods).items()
    }
    for slot, given in arrays.items():
        for array, old in zip(given, before[slot], strict=True):
            np.testing.assert_array_equal(array, old)
    _check_rule(op, arrays, attrs or {}, found, lods)
    _check_out(op, arrays, attrs or {}, found)
    if not lods:
        _check_prepared(op, arrays, attrs or {}, found)
    return [array for results in found.values() for array in results]


def filled(shape: Sequence[int], dtype: Any, element: Callable[..., Any]) -> Array:
    """An array whose element at each index is ``element(*index)``."""
    result = np.zeros(shape, dtype)
    for index in np.ndindex(*shape):
        result[index] = element(*index)
    return result


def same(found: Array, wanted: Array) -> None:
    """Dtype, shape and every element."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    """An array of that shape without two equal elements, in no order."""
    return np.random.default_rng(7).permutation(int(np.prod(shape))).reshape(shape).astype(dtype)


def whole(*items: int, dtype: Any = np.int32) -> Array:
    """A one-dimensional array of integers."""
    return np.array(items, dtype)


def _listed(given: Array | Sequence[Array]) -> Sequence[Array]:
    return [given] if isinstance(given, np.ndarray) else given


def _read_only(array: Array) -> Array:
    array = array.copy()
    array.flags.writeable = False
    return array


def _check_rule(
    op: str,
    arrays: Mapping[str, Sequence[Array]],
    attrs: Mapping[str, AttrValue],
    found: Mapping[str, Sequence[Array]],
    lods: Mapping[str, Sequence[Lod]] | None,
) -> None:
    schema = get_schema(op)
    counts = {slot: len(results) for slot, results in found.items()}

    def lod(slot: str, n: int) -> Lod:
        return lods[slot][n] if lods and slot in lods else ()

    exact = {s: [Meta.of(a, lod(s, n)) for n, a in enumerate(given)] for s, given in arrays.items()}
    blind = {
        s: [Meta.of(a, m.lod, known=False) for a, m in zip(arrays[s], ms, strict=True)]
        for s, ms in exact.items()
    }
    vague = {
        s: [Meta(m.dtype, (UNKNOWN,) * a.ndim) for a, m in zip(arrays[s], ms, strict=True)]
        for s, ms in exact.items()
    }
    for metas in (exact, blind, vague):
        values = schema.attr_values(attrs)
        for slot, inferred in infer(schema, metas, values, counts).items():
            for meta, array in zip(inferred, found[slot], strict=True):
                assert meta.dtype is DType.from_numpy(array.dtype), (slot, meta, array.dtype)
                if meta.shape is None:
                    continue
                assert len(meta.shape) == array.ndim, (slot, meta, array.shape)
                known = [
                    dim == size for dim, size in zip(meta.shape, array.shape, strict=True) if dim != UNKNOWN
                ]
                assert all(known), (slot, meta, array.shape)
                if meta.value is not None:
                    np.testing.assert_array_equal(meta.value, array)


def _check_out(
    op: str,
    arrays: Mapping[str, Sequence[Array]],
    attrs: Mapping[str, AttrValue],
    found: Mapping[str, Sequence[Array]],
) -> None:
    schema, kernel = get_schema(op), host_kernel(op)
    if not kernel.takes_out:
        return
    values = schema.attr_values(attrs)
    buffers: list[Any] = []
    for slot, spec in schema.outputs.items():
        made = [np.full_like(array, 3) for array in found.get(slot, ())]
        buffers.append(made if spec.repeated else made[0] if made else None)
    arguments = [slot_argument(schema, slot, arrays.get(slot, ())) for slot in kernel.slots]
    out = buffers[0] if len(buffers) == 1 else tuple(buffers)
    kernel.run(*arguments, out=out, **kernel.keywords(values))
    for slot, buffer in zip(schema.outputs, buffers, strict=True):
        for written, array in zip(_listed(buffer) if slot in found else (), found.get(slot, ()), strict=True):
            np.testing.assert_array_equal(written, array)


def _check_prepared(
    op: str,
    arrays: Mapping[str, Sequence[Array]],
    attrs: Mapping[str, AttrValue],
    found: Mapping[str, Sequence[Array]],
) -> None:
    schema, kernel = get_schema(op), host_kernel(op)
    if kernel.prepare is None:
        return
    values = schema.attr_values(attrs)
    # Only weights and the like are known when a kernel is prepared: here all, and then none.
    for known in (True, False):
        metas = {slot: [Meta.of(a, known=known) for a in given] for slot, given in arrays.items()}
        outputs = {slot: [Meta.of(a, known=False) for a in results] for slot, results in found.items()}
        made: dict[str, Array] = {}
        context = PrepareContext(
            metas, outputs, Attributes(op, values), partial(_kept, made), precision="strict"
        )
        run = kernel.prepare(context)
        if run is None:
            continue
        arguments = [slot_argument(schema, slot, arrays.get(slot, ())) for slot in kernel.slots]
        returned = run(*arguments)
        counts = {slot: len(results) for slot, results in found.items()}
        for slot, results in outputs_by_slot(schema, returned, counts).items():
            for result, array in zip(results, found[slot], strict=True):
                assert (result.dtype, result.shape) == (array.dtype, array.shape)
                np.testing.assert_allclose(result, array, rtol=1e-4, atol=1e-5)


def _kept(made: dict[str, Array], name: str, make: Callable[[], Array]) -> Array:
    return made.setdefault(name, make())
