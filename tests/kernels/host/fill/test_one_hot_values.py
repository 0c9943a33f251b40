"""one_hot_values against a loop."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.checked import checked, filled, same

X = np.array([[1, -1, 9], [-4, 0, 2]])
VALUES = np.array([-1.5, 2.5], np.float32)


@pytest.mark.parametrize("x", [X, X.astype(np.float32), X.astype(np.int8)])
@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
@pytest.mark.parametrize("as_slot", [False, True])
def test_on_value_at_each_index(x: np.ndarray, axis: int, as_slot: bool) -> None:
    place = axis % 3

    def element(*at: int) -> float:
        index = int(x[at[:place] + at[place + 1 :]])
        return float(VALUES[int((index + 3 if index < 0 else index) == at[place])])

    inputs = {"X": x, "Values": VALUES, **({"Depth": np.array(3)} if as_slot else {})}
    (got,) = checked("one_hot_values", inputs, {"axis": axis, "depth": 9 if as_slot else 3})

    shape = list(X.shape)
    shape.insert(place, 3)
    same(got, filled(shape, np.float32, element))


def test_an_axis_outside_is_refused() -> None:
    with pytest.raises(GraphError, match="attribute axis: expected a position among the 2 axes"):
        checked("one_hot_values", {"X": X, "Values": VALUES}, {"axis": 3})
