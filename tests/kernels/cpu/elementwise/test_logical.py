"""Logic of many bools against numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import run, run_compiled

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}


def bools(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).random(shape) < 0.5


@pytest.mark.parametrize("shape", [(0, 3), (257,), (5, 7, 11), (2, 40000)])
@pytest.mark.parametrize("op", OPERATIONS)
def test_two_tensors_of_one_shape(op: str, shape: tuple[int, ...]) -> None:
    x, y = bools(0, *shape), bools(1, *shape)
    (result,) = run_compiled(op, {"X": x, "Y": y}, {"axis": -1})
    np.testing.assert_array_equal(result, OPERATIONS[op](x, y))


@pytest.mark.parametrize("shape", [(0,), (257,), (5, 7, 11), (2, 40000)])
def test_not(shape: tuple[int, ...]) -> None:
    (result,) = run_compiled("logical_not", {"X": bools(2, *shape)}, {})
    np.testing.assert_array_equal(result, ~bools(2, *shape))


@pytest.mark.parametrize("op", OPERATIONS)
def test_many_elements_that_broadcast_or_of_other_types_are_left_to_the_host(op: str) -> None:
    broadcast = bools(3, 1200, 2), bools(4, 1, 2)
    integers = np.arange(1200) % 3, np.arange(1200) % 2
    for x, y in (broadcast, integers):
        [result], is_compiled = run(op, {"X": x, "Y": y}, {"axis": -1})
        assert not is_compiled
        np.testing.assert_array_equal(result, OPERATIONS[op](x, y))


def test_not_of_many_integers_is_left_to_the_host() -> None:
    [result], is_compiled = run("logical_not", {"X": np.arange(1200) % 3}, {})
    assert not is_compiled
    np.testing.assert_array_equal(result, np.arange(1200) % 3 == 0)
