"""concat and split as copies of columns, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, bind_unprepared, floats
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

SHAPES = [
    ((4, 6), 1, (1, 5)),
    ((2, 3, 40, 5), 2, (7, 1, 32)),
    ((3, 700, 2), -2, (300, 400)),
    ((9, 4), 0, (4, 5)),
    ((7,), 0, (3, 0, 4)),
]


@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize(("shape", "axis", "sizes"), SHAPES)
def test_concat_joins_the_parts_that_split_makes(
    shape: tuple[int, ...],
    axis: int,
    sizes: tuple[int, ...],
    is_split: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_split:
        split_work(monkeypatch)
    whole = floats(1, *shape)
    parts = [np.ascontiguousarray(part) for part in np.split(whole, np.cumsum(sizes)[:-1], axis)]
    attrs = {"axis": axis, "num": 0, "sections": list(sizes)}
    join = bind("concat", {"X": parts}, {"axis": axis}, threads=2)
    cut = bind("split", {"X": whole}, attrs, outputs={"Out": len(sizes)}, threads=2)
    assert join.is_compiled
    assert cut.is_compiled
    buffer, buffers = np.full_like(whole, np.nan), [np.full_like(part, np.nan) for part in parts]
    for results in (join(), join(out=buffer), buffer):
        np.testing.assert_array_equal(results, whole)
    for results in (cut(), cut(out=buffers), buffers):
        for piece, part in zip(results, parts, strict=True):
            np.testing.assert_array_equal(piece, part)


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.int64, np.complex128])
@pytest.mark.parametrize(("shape", "axis", "sizes"), SHAPES)
def test_elements_of_other_sizes_are_copied_alike(
    dtype: type[np.generic], shape: tuple[int, ...], axis: int, sizes: tuple[int, ...]
) -> None:
    whole: Array = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    parts = [np.ascontiguousarray(part) for part in np.split(whole, np.cumsum(sizes)[:-1], axis)]
    attrs = {"axis": axis, "num": 0, "sections": list(sizes)}

    join = bind("concat", {"X": parts}, {"axis": axis})
    cut = bind("split", {"X": whole}, attrs, outputs={"Out": len(sizes)})

    assert join.is_compiled
    assert cut.is_compiled
    joined = join()
    assert joined.dtype == dtype
    np.testing.assert_array_equal(joined, whole)
    for piece, part in zip(cut(), parts, strict=True):
        np.testing.assert_array_equal(piece, part)


def test_tensors_of_no_elements_run_on_the_host() -> None:
    empty = np.zeros((0, 3), np.int64)
    join = bind("concat", {"X": [empty, empty]}, {"axis": 1})
    assert not join.is_compiled
    assert join().shape == (0, 6)


def test_unprepared_kernels_run_on_the_host() -> None:
    whole = floats(1, 3, 4)
    join = bind_unprepared("concat", {"X": [whole, whole]}, {"axis": 1})
    np.testing.assert_array_equal(join(), np.concatenate([whole, whole], 1))
    cut = bind_unprepared("split", {"X": whole}, {"axis": 1, "num": 2, "sections": []})
    for piece, part in zip(cut(), np.split(whole, 2, 1), strict=True):
        np.testing.assert_array_equal(piece, part)
