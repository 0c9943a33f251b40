"""arg_max and arg_min against a search along one line at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked

X = np.array([[[1, 5, 5], [7, -2, 0]], [[3, 3, 3], [-1, -4, 8]]], np.float32)
EXTREMES: dict[str, Callable[[list[float]], float]] = {"arg_max": max, "arg_min": min}


def expected(axis: int, extreme: Callable[[list[float]], float]) -> Array:
    """The first position along `axis`, which is kept."""
    lines = np.moveaxis(X, axis, -1)
    result = np.zeros((*lines.shape[:-1], 1), np.int64)
    for index in np.ndindex(lines.shape[:-1]):
        values = lines[index].tolist()
        result[index] = values.index(extreme(values))
    return np.moveaxis(result, -1, axis)


@pytest.mark.parametrize("name", sorted(EXTREMES))
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("dtype", [-1, DType.INT64.code, DType.INT32.code])
def test_arg_max_along_each_axis(name: str, axis: int, dtype: int) -> None:
    wanted = expected(axis, EXTREMES[name]).astype(np.int32 if dtype == DType.INT32.code else np.int64)

    (kept,) = checked(name, {"X": X}, {"axis": axis, "keepdims": True, "dtype": dtype})
    (got,) = checked(name, {"X": X}, {"axis": axis, "dtype": dtype})

    np.testing.assert_array_equal(kept, wanted)
    np.testing.assert_array_equal(got, wanted.squeeze(axis))


@pytest.mark.parametrize(("name", "wanted"), [("arg_max", 11), ("arg_min", 10)])
def test_arg_max_of_all_elements(name: str, wanted: int) -> None:
    (got,) = checked(name, {"X": X}, {"flatten": True})
    (kept,) = checked(name, {"X": X}, {"flatten": True, "keepdims": True})

    np.testing.assert_array_equal(got, np.array(wanted))
    np.testing.assert_array_equal(kept, np.full((1, 1, 1), wanted))


@pytest.mark.parametrize("name", sorted(EXTREMES))
def test_scalars_have_index_0(name: str) -> None:
    (got,) = checked(name, {"X": np.array(3, np.float32)}, {"axis": -1})

    np.testing.assert_array_equal(got, np.array(0))


def test_an_axis_outside_is_refused() -> None:
    with pytest.raises(
        GraphError, match=r"arg_max: attribute axis: expected an axis of float32\[2,2,3\], got 3"
    ):
        checked("arg_max", {"X": X}, {"axis": 3})
