"""cumsum against a loop along one line at a time."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def expected(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
    result = np.zeros_like(x)
    lines, sums = np.moveaxis(x, axis, -1), np.moveaxis(result, axis, -1)
    for index in np.ndindex(lines.shape):
        at = index[-1]
        line = lines[index[:-1]].tolist()
        if reverse:
            sums[index] = sum(line[at + 1 :] if exclusive else line[at:])
        else:
            sums[index] = sum(line[:at] if exclusive else line[: at + 1])
    return result


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 40, 200)])
def test_cumsum_along_each_axis(
    shape: tuple[int, ...], axis: int, dtype: type[np.generic], reverse: bool, exclusive: bool
) -> None:
    x = np.random.default_rng(1).integers(-5, 6, shape).astype(dtype)

    (got,) = checked("cumsum", {"X": x}, {"axis": axis, "exclusive": exclusive, "reverse": reverse})

    np.testing.assert_array_equal(got, expected(x, axis, exclusive, reverse))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumsum_of_all_elements(reverse: bool, exclusive: bool) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    (got,) = checked("cumsum", {"X": x}, {"flatten": True, "exclusive": exclusive, "reverse": reverse})

    np.testing.assert_array_equal(got, expected(x.reshape(-1), 0, exclusive, reverse))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("flatten", [False, True])
def test_one_element_does_not_change(shape: tuple[int, ...], flatten: bool) -> None:
    (got,) = checked("cumsum", {"X": np.full(shape, 5, np.float32)}, {"flatten": flatten, "exclusive": True})

    np.testing.assert_array_equal(got, np.full((1,) if flatten else shape, 5, np.float32))


@pytest.mark.parametrize("exclusive", [False, True])
def test_an_empty_tensor_keeps_its_shape(exclusive: bool) -> None:
    (got,) = checked("cumsum", {"X": np.zeros((2, 0), np.float32)}, {"exclusive": exclusive})

    np.testing.assert_array_equal(got, np.zeros((2, 0), np.float32))


def test_an_axis_outside_is_refused() -> None:
    with pytest.raises(GraphError, match=r"cumsum: attribute axis: expected an axis of float32\[2\], got 1"):
        checked("cumsum", {"X": np.zeros(2, np.float32)}, {"axis": 1})
