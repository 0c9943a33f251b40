"""pad_nd against a loop over the places that each element comes from."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked, filled, numbers, same, whole

X = numbers(2, 3, 4)


def source(place: int, size: int, mode: str) -> int | None:
    if mode == "constant":
        return place if 0 <= place < size else None
    if mode == "edge":
        return min(max(place, 0), size - 1)
    if mode == "wrap":
        return place % size
    while not 0 <= place < size:
        place = -place if place < 0 else 2 * (size - 1) - place
    return place


def padded(x: Array, before: list[int], after: list[int], mode: str, value: float) -> Array:
    def element(*at: int) -> float:
        places = [source(n - b, size, mode) for n, b, size in zip(at, before, x.shape, strict=True)]
        return value if None in places else float(x[tuple(n for n in places if n is not None)])

    shape = [size + b + a for size, b, a in zip(x.shape, before, after, strict=True)]
    return filled(shape, x.dtype, element)


@pytest.mark.parametrize("as_slots", [False, True])
@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize(
    ("before", "after"),
    [([0, 1, 2], [1, 0, 3]), ([0, 0, 7], [0, 5, 0]), ([0, -1, 0], [0, 2, -2]), ([0] * 3, [0] * 3)],
)
def test_each_mode_fills_the_border(before: list[int], after: list[int], mode: str, as_slots: bool) -> None:
    attrs: dict[str, object] = {"mode": mode, "value": 1.5, "paddings": [*before, *after]}
    inputs = {"X": X}
    if as_slots:
        attrs = {"mode": mode}
        inputs |= {"Paddings": whole(*before, *after), "Value": np.array(1.5, np.float32)}

    (got,) = checked("pad_nd", inputs, attrs)  # type: ignore[arg-type]

    same(got, padded(X, before, after, mode, 1.5))


def test_only_the_listed_axes_are_padded() -> None:
    (got,) = checked("pad_nd", {"X": X, "Axes": whole(-1, 0)}, {"paddings": [1, 0, 2, 1]})

    same(got, padded(X, [0, 0, 1], [1, 0, 2], "constant", 0.0))


def test_wrong_numbers_of_paddings_are_refused() -> None:
    with pytest.raises(GraphError, match=r"pad_nd: paddings: expected 6 numbers, got \[1, 2\]"):
        checked("pad_nd", {"X": X}, {"paddings": [1, 2]})
