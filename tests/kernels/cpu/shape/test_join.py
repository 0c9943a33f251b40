"""concat and split as copies of columns, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array, Layout
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import KernelFunction, PrepareContext
from tests.kernels.cpu.prepared import compiled_kernel, floats
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

SHAPES = [
    ((4, 6), 1, (1, 5)),
    ((2, 3, 40, 5), 2, (7, 1, 32)),
    ((3, 700, 2), -2, (300, 400)),
    ((9, 4), 0, (4, 5)),
]


def prepared(op: str, inputs: dict[str, list[Array]], outputs: int, **given: Any) -> KernelFunction:
    schema, kernel = get_schema(op), compiled_kernel(op, Layout.ANY)
    attrs = schema.attr_values(given)
    metas = {slot: [Meta.of(array, known=False) for array in arrays] for slot, arrays in inputs.items()}
    assert kernel.prepare is not None
    outs = infer(schema, metas, attrs, {"Out": outputs})
    run = kernel.prepare(PrepareContext(metas, outs, attrs, lambda _, make: make(), threads=2))
    assert run is not None
    return run


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize(("shape", "axis", "sizes"), SHAPES)
def test_parts_of_an_axis(
    shape: tuple[int, ...],
    axis: int,
    sizes: tuple[int, ...],
    is_shared: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_shared:
        split_work(monkeypatch)
    whole = floats(1, *shape)
    parts = [np.ascontiguousarray(part) for part in np.split(whole, np.cumsum(sizes)[:-1], axis)]
    join = prepared("concat", {"X": parts}, 1, axis=axis)
    cut = prepared("split", {"X": [whole]}, len(sizes), axis=axis, num=0, sections=list(sizes))
    buffer, buffers = np.full_like(whole, np.nan), [np.full_like(part, np.nan) for part in parts]
    for found in (join(parts, None), join(parts, None, out=buffer), buffer):
        np.testing.assert_array_equal(found, whole)
    for pieces in (cut(whole, None, None), cut(whole, None, None, out=buffers), buffers):
        for piece, part in zip(pieces, parts, strict=True):
            np.testing.assert_array_equal(piece, part)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_other_types_are_the_hosts(dtype: type) -> None:
    whole: Array = np.arange(24).reshape(4, 6).astype(dtype)
    parts = [np.ascontiguousarray(whole[:, :2]), np.ascontiguousarray(whole[:, 2:])]
    found = prepared("concat", {"X": parts}, 1, axis=1)(parts, None)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, whole)


def test_the_host_runs_what_is_not_prepared() -> None:
    whole = floats(1, 3, 4)
    concat, split = (compiled_kernel(op, Layout.ANY) for op in ("concat", "split"))
    np.testing.assert_array_equal(concat.run([whole, whole], None, axis=1), np.concatenate([whole, whole], 1))
    found = split.run(whole, None, None, axis=1, num=2, sections=[])
    for piece, part in zip(found, np.split(whole, 2, 1), strict=True):
        np.testing.assert_array_equal(piece, part)
