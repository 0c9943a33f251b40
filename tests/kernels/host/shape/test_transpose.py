"""transpose2, flip and roll, element by element."""

import itertools

import numpy as np
import pytest

from lite.errors import LiteError
from lite.plugin.kernel import host_kernel
from tests.kernels.host.checked import checked, filled, numbers, same, whole


@pytest.mark.parametrize("axis", [*itertools.permutations(range(3)), (0, -1, 1)])
def test_transpose_permutes_axes(axis: tuple[int, ...]) -> None:
    x = numbers(2, 3, 4)
    axes = [a % 3 for a in axis]
    wanted = filled(
        [x.shape[a] for a in axes], x.dtype, lambda *i: x[tuple(i[axes.index(n)] for n in range(3))]
    )
    out, xshape = checked("transpose2", {"X": x}, {"axis": list(axis)}, {"Out": 1, "XShape": 1})
    same(out, wanted)
    assert out.flags.c_contiguous
    assert xshape.shape == (0, 2, 3, 4)


def test_transpose_takes_empty_tensors_and_scalars() -> None:
    same(checked("transpose2", {"X": np.zeros((0, 2))}, {"axis": [1, 0]})[0], np.zeros((2, 0)))
    same(checked("transpose2", {"X": np.array(3.0)}, {"axis": []})[0], np.array(3.0))


@pytest.mark.parametrize("shape", [(2, 3, 4), (3,), (), (0, 2)])
def test_reverse_axes(shape: tuple[int, ...]) -> None:
    x = numbers(*shape)
    (got,) = checked("reverse_axes", {"X": x})
    same(got, filled(shape[::-1], x.dtype, lambda *i: x[i[::-1]]))


@pytest.mark.parametrize("axis", [[], [0], [1], [-1], [0, 1]])
def test_flip_reverses_axes(axis: list[int]) -> None:
    x = numbers(3, 4, dtype=np.int64)
    flipped = {a % 2 for a in axis}
    wanted = filled(
        x.shape, x.dtype, lambda i, j: x[2 - i if 0 in flipped else i, 3 - j if 1 in flipped else j]
    )
    same(checked("flip", {"X": x}, {"axis": axis})[0], wanted)


def test_flip_of_a_tensor_array_reverses_its_elements() -> None:
    elements = [numbers(2), numbers(3)]
    assert host_kernel("flip").run(elements, axis=[0]) == elements[::-1]


@pytest.mark.parametrize(
    ("axis", "shifts"), [([0], [1]), ([1], [-2]), ([0, 1], [2, 5]), ([1, 1], [1, 1]), ([-1], [0])]
)
def test_roll_shifts_cyclically(axis: list[int], shifts: list[int]) -> None:
    x = numbers(3, 4)
    rows = sum(s for a, s in zip(axis, shifts, strict=True) if a % 2 == 0)
    columns = sum(s for a, s in zip(axis, shifts, strict=True) if a % 2 == 1)
    wanted = filled(x.shape, x.dtype, lambda i, j: x[(i - rows) % 3, (j - columns) % 4])
    same(checked("roll", {"X": x}, {"axis": axis, "shifts": shifts})[0], wanted)


def test_roll_without_axes_takes_x_as_flat() -> None:
    x = whole(1, 2, 3, 4, 5, 6).reshape(2, 3)
    same(checked("roll", {"X": x}, {"shifts": [2]})[0], whole(5, 6, 1, 2, 3, 4).reshape(2, 3))


def test_roll_takes_shifts_from_a_tensor() -> None:
    inputs = {"X": whole(1, 2, 3), "ShiftsTensor": whole(1, dtype=np.int64)}
    same(checked("roll", inputs, {"axis": [0], "shifts": [2]})[0], whole(3, 1, 2))


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("transpose2", {"axis": [0]}),
        ("transpose2", {"axis": [0, 0]}),
        ("flip", {"axis": [2]}),
        ("roll", {"axis": [0], "shifts": [1, 2]}),
    ],
)
def test_wrong_axes_are_named(op: str, attrs: dict[str, list[int]]) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, {"X": numbers(2, 3)}, {name: list(items) for name, items in attrs.items()})
