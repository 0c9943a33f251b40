"""stack_array: the elements along a new axis."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import DType
from lite.kernels.host.control.tensor_array import stack_array
from tests.kernels.host.checked import filled, numbers, same


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("reverse", [False, True])
def test_elements_are_stacked_in_either_order(axis: int, reverse: bool) -> None:
    items = [numbers(2, 3) + 10 * n for n in range(4)]
    place = axis % 3
    shape = [2, 3]
    shape.insert(place, 4)

    def element(*at: int) -> float:
        number = 3 - at[place] if reverse else at[place]
        return float(items[number][tuple(np.delete(at, place))])

    found = stack_array(items, axis=axis, dtype=-1, shape=[], reverse=reverse)

    same(found, filled(shape, np.float32, element))


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (0, 2, 3)), (1, (2, 0, 3)), (-1, (2, 3, 0)), (-2, (2, 0, 3))]
)
def test_an_empty_array_gives_an_empty_tensor(axis: int, shape: tuple[int, ...]) -> None:
    found = stack_array([], axis=axis, dtype=DType.INT64.code, shape=[2, 3], reverse=False)

    same(found, np.empty(shape, np.int64))
