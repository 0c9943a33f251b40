"""Alignment of shapes at an axis."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ops.broadcast import aligned


@pytest.mark.parametrize(
    ("first", "second", "axis", "expected"),
    [
        ((2, 3, 4), (2, 3, 4), -1, ((2, 3, 4), (2, 3, 4))),
        ((2, 3, 4), (4,), -1, ((2, 3, 4), (1, 1, 4))),
        ((2, 3, 4), (3,), 1, ((2, 3, 4), (1, 3, 1))),
        ((2, 3, 4), (2, 3), 0, ((2, 3, 4), (2, 3, 1))),
        ((2, 3, 4), (4, 1), 2, ((2, 3, 4), (1, 1, 4))),
        ((2, 3, 4), (3, 1), -1, ((2, 3, 4), (1, 3, 1))),
        ((3,), (2, 3, 4), 1, ((1, 3, 1), (2, 3, 4))),
        ((2, 3), (), 3, ((2, 3), (1, 1))),
        ((), (), -1, ((), ())),
        ((2, 3), (1, 1), 1, ((2, 3), (1, 1))),
    ],
)
def test_shapes_are_padded_with_ones(
    first: tuple[int, ...],
    second: tuple[int, ...],
    axis: int,
    expected: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    assert aligned(first, second, axis) == expected


@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 2), ((3,), 3), ((3,), -2)])
def test_a_shape_that_reaches_beyond_the_other_is_refused(shape: tuple[int, ...], axis: int) -> None:
    with pytest.raises(GraphError, match="does not fit at axis"):
        aligned((2, 3, 4), shape, axis)
