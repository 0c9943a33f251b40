"""Reductions against loops over the elements that meet in one result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

NUMBERS: dict[str, Callable[[list[float]], float]] = {
    "reduce_max": max,
    "reduce_mean": lambda values: math.fsum(values) / len(values),
    "reduce_min": min,
    "reduce_prod": math.prod,
    "reduce_sum": math.fsum,
}
LOGIC: dict[str, Callable[[Iterable[object]], bool]] = {"reduce_all": all, "reduce_any": any}

AXES: list[tuple[dict[str, AttrValue], tuple[int, ...], tuple[int, ...]]] = [
    ({}, (0,), (3, 4)),
    ({"dim": [1]}, (1,), (2, 4)),
    ({"dim": [-1], "keep_dim": True}, (2,), (2, 3, 1)),
    ({"dim": [0, -1]}, (0, 2), (3,)),
    ({"dim": [2, 1], "keep_dim": True}, (1, 2), (2, 1, 1)),
    ({"dim": []}, (0, 1, 2), ()),
    ({"dim": [1], "reduce_all": True}, (0, 1, 2), ()),
    ({"reduce_all": True, "keep_dim": True}, (0, 1, 2), (1, 1, 1)),
]


def expected(x: Array, axes: tuple[int, ...], function: Callable[..., float]) -> Array:
    """Over `axes`, kept with size 1."""
    groups: dict[tuple[int, ...], list[float]] = {}
    for index in np.ndindex(x.shape):
        place = tuple(0 if axis in axes else i for axis, i in enumerate(index))
        groups.setdefault(place, []).append(x[index].item())
    result = np.zeros([1 if axis in axes else size for axis, size in enumerate(x.shape)])
    for place, values in groups.items():
        result[place] = function(values)
    return result


@pytest.mark.parametrize("name", sorted(NUMBERS))
@pytest.mark.parametrize(("attrs", "axes", "shape"), AXES)
def test_reductions_agree_with_python(
    name: str, attrs: dict[str, AttrValue], axes: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    x = np.random.default_rng(1).uniform(-2, 2, (2, 3, 4)).astype(np.float32)

    (got,) = checked(name, {"X": x}, attrs)

    np.testing.assert_allclose(got, expected(x, axes, NUMBERS[name]).reshape(shape), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(LOGIC))
@pytest.mark.parametrize(("attrs", "axes", "shape"), AXES)
def test_all_and_any_agree_with_python(
    name: str, attrs: dict[str, AttrValue], axes: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    x = np.random.default_rng(2).integers(0, 2, (2, 3, 4)).astype(bool)

    (got,) = checked(name, {"X": x}, attrs)

    np.testing.assert_array_equal(got, expected(x, axes, LOGIC[name]).reshape(shape).astype(bool))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("reduce_max", 8), ("reduce_mean", 2), ("reduce_min", -5), ("reduce_prod", 280), ("reduce_sum", 10)],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_give_integers(name: str, wanted: int, dtype: type[np.integer]) -> None:
    (got,) = checked(name, {"X": np.array([-5, 8, 7, 1, -1], dtype)}, {"reduce_all": True})

    np.testing.assert_array_equal(got, np.array(wanted, dtype))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("name", "wanted"), [("reduce_sum", 4096), ("reduce_mean", 1), ("reduce_max", 1)])
def test_narrow_floats_are_summed_in_float32(name: str, wanted: float, dtype: type[np.generic]) -> None:
    (got,) = checked(name, {"X": np.ones(4096, dtype)})

    np.testing.assert_array_equal(got.astype(np.float64), wanted)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_out_dtype_sets_the_result_type(name: str) -> None:
    x = np.array([[1, 2], [3, 5]], np.int32)

    (got,) = checked(name, {"X": x}, {"dim": [1], "out_dtype": DType.FLOAT32.code})

    np.testing.assert_array_equal(got, expected(x, (1,), NUMBERS[name]).reshape(2).astype(np.float32))


@pytest.mark.parametrize("name", sorted(NUMBERS))
@pytest.mark.parametrize("keep_dim", [False, True])
def test_scalars_are_reduced(name: str, keep_dim: bool) -> None:
    (got,) = checked(name, {"X": np.array(-3, np.float32)}, {"dim": [-1], "keep_dim": keep_dim})

    np.testing.assert_array_equal(got, np.array(-3, np.float32))


@pytest.mark.parametrize(("name", "wanted"), [("reduce_sum", 0), ("reduce_prod", 1)])
def test_empty_tensors_are_reduced(name: str, wanted: float) -> None:
    (got,) = checked(name, {"X": np.zeros((0, 2), np.float32)})

    np.testing.assert_array_equal(got, np.full(2, wanted, np.float32))


@pytest.mark.parametrize("shape", [(2, 3), (5,), ()])
def test_mean_is_of_all_elements(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).uniform(-2, 2, shape).astype(np.float32)

    (got,) = checked("mean", {"X": x})

    np.testing.assert_allclose(got, float32(math.fsum(x.reshape(-1).tolist()) / x.size), rtol=1e-6)


def test_an_axis_outside_is_refused() -> None:
    with pytest.raises(
        GraphError, match=r"reduce_sum: attribute dim: expected axes of float32\[2\], got \[1\]"
    ):
        checked("reduce_sum", {"X": np.zeros(2, np.float32)}, {"dim": [1]})
