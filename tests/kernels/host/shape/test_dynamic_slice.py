"""dynamic_slice against lists of the indices that a range takes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.checked import checked, numbers, same, whole

X = numbers(3, 5)


@pytest.mark.parametrize(
    ("start", "end", "step"), [*itertools.product([-9, -2, 0, 1, 9], [-9, -1, 0, 3, 9], [-2, -1, 1, 3])]
)
def test_ranges_of_one_axis_agree_with_the_positions_that_onnx_clamps(
    start: int, end: int, step: int
) -> None:
    inputs = {"Starts": whole(start), "Ends": whole(end), "Axes": whole(-1), "Steps": whole(step)}
    first, last = (at + 5 if at < 0 else at for at in (start, end))
    first = max(0, min(first, 4 if step < 0 else 5))
    last = max(-1 if step < 0 else 0, min(last, 4 if step < 0 else 5))
    picked = list(range(first, last, step))

    (got,) = checked("dynamic_slice", {"Input": X, **inputs})

    same(got, X[:, np.array(picked, np.int64)])


def test_without_axes_the_first_ones_are_cut() -> None:
    (got,) = checked("dynamic_slice", {"Input": X, "Starts": whole(1, 2), "Ends": whole(3, 4)})

    same(got, X[1:3, 2:4])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"Ends": whole(1, 2)}, "Ends, Axes, Steps: expected 1 numbers like Starts"),
        ({"Ends": whole(1), "Axes": whole(2)}, r"attribute Axes: expected axes of float32\[3,5\], got \[2\]"),
        ({"Ends": whole(1), "Steps": whole(0)}, "slot Steps: expected steps that are not 0"),
    ],
)
def test_ranges_that_do_not_fit_are_refused(inputs: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(GraphError, match=f"dynamic_slice: {message}"):
        checked("dynamic_slice", {"Input": X, "Starts": whole(0), **inputs})
