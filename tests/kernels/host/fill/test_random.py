"""gaussian_random, uniform_random, sampling_id: shape, type, moments, and the same numbers each time."""

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ops import get_schema
from tests.kernels.host.checked import checked, numbers, same, whole


@pytest.mark.parametrize(
    ("op", "attrs", "mean", "deviation"),
    [
        ("gaussian_random", {"mean": 3.0, "std": 2.0}, 3.0, 2.0),
        ("uniform_random", {"min": -1.0, "max": 5.0}, 2.0, 6 / np.sqrt(12)),
    ],
)
def test_moments_are_those_of_the_distribution(
    op: str, attrs: dict[str, float], mean: float, deviation: float
) -> None:
    given: dict[str, AttrValue] = {"shape": [100, 100], "seed": 4, **attrs}
    drawn = checked(op, {}, given)[0]
    assert (drawn.shape, str(drawn.dtype)) == ((100, 100), "float32")
    assert float(drawn.mean()) == pytest.approx(mean, abs=0.1)
    assert drawn.std() == pytest.approx(deviation, abs=0.1)
    same(checked(op, {}, given)[0], drawn)
    assert not np.array_equal(checked(op, {}, {**given, "seed": 5})[0], drawn)
    assert not get_schema(op).foldable


@pytest.mark.parametrize("op", ["gaussian_random", "uniform_random"])
def test_shapes_and_types_follow_attributes(op: str) -> None:
    assert checked(op, {}, {"shape": [], "dtype": 6})[0].dtype == np.float64
    assert checked(op, {"ShapeTensor": whole(2, 3)}, {"shape": [9]})[0].shape == (2, 3)
    assert checked(op, {"ShapeTensorList": [whole(2), whole(0)]}, {"shape": [9]})[0].shape == (2, 0)


def test_uniform_random_sets_a_diagonal() -> None:
    attrs: dict[str, AttrValue] = {"shape": [3, 3], "diag_num": 2, "diag_step": 3, "diag_val": 9.0}
    drawn = checked("uniform_random", {}, attrs)[0]
    assert [index for index in np.ndindex(3, 3) if drawn[index] == 9] == [(0, 0), (1, 1)]


def test_sampling_id_follows_the_probabilities() -> None:
    certain = np.zeros((4, 3), np.float32)
    certain[np.arange(4), [2, 0, 1, 2]] = 1
    same(checked("sampling_id", {"X": certain})[0], whole(2, 0, 1, 2, dtype=np.int64))
    half = np.full((2000, 2), 0.5, np.float32)
    assert checked("sampling_id", {"X": half}, {"seed": 1})[0].mean() == pytest.approx(0.5, abs=0.05)
    none = np.zeros((1, 3), np.float32)
    same(checked("sampling_id", {"X": none})[0], whole(2, dtype=np.int64))


def test_shapes_without_elements_are_empty() -> None:
    assert checked("sampling_id", {"X": numbers(0, 2)})[0].shape == (0,)
