"""slice, strided_slice and space_to_depth against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.cpu.bound import floats, run, run_compiled
from tests.kernels.cpu.split_work import split_work

BOXES: list[tuple[tuple[int, ...], Any, dict[str, AttrValue]]] = [
    ((40,), np.s_[3:37], {"axes": [0], "starts": [3], "ends": [37]}),
    ((1, 64, 100), np.s_[..., 50:], {"axes": [2], "starts": [-50], "ends": [2**31 - 1]}),
    ((5, 7, 9), np.s_[1:4, :, 2:], {"axes": [0, 2], "starts": [1, 2], "ends": [4, 9]}),
    ((5, 7, 9), np.s_[4, :, 8],
     {"axes": [0, 2], "starts": [-1, -1], "ends": [5, 0], "decrease_axis": [0, 2]}),
    ((3, 4, 5, 6, 7), np.s_[1:, 1:3, 2:4, 1:5, 2:6],
     {"axes": [0, 1, 2, 3, 4], "starts": [1, 1, 2, 1, 2], "ends": [3, 3, 4, 5, 6]}),
]  # fmt: skip


DTYPES = [np.float32, np.int8, np.float16, np.int64]


def numbers(dtype: Any, *shape: int) -> Array:
    return (floats(1, *shape) * 40).astype(dtype)


@pytest.mark.parametrize(("shape", "box", "attrs"), BOXES)
@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ranges(
    shape: tuple[int, ...], box: Any, attrs: dict[str, AttrValue], is_split: bool, dtype: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if is_split:
        split_work(monkeypatch)
    x = numbers(dtype, *shape)
    [result] = run_compiled("slice", {"Input": x}, attrs)
    np.testing.assert_array_equal(result, x[box])


@pytest.mark.parametrize(
    ("axes", "starts", "ends", "strides", "box"),
    [
        ([1, 2], [0, 1], [8, 20], [2, 2], np.s_[:, ::2, 1:20:2]),
        ([2], [3], [75], [5], np.s_[..., 3:75:5]),
        ([0, 2], [1, 0], [3, 75], [1, 2], np.s_[1:3, :, :75:2]),
        ([2], [1], [75], [1], np.s_[..., 1:]),
    ],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_ranges_with_strides(
    axes: list[int], starts: list[int], ends: list[int], strides: list[int], box: Any, dtype: Any
) -> None:
    x = numbers(dtype, 4, 8, 75)
    attrs: dict[str, AttrValue] = {"axes": axes, "starts": starts, "ends": ends, "strides": strides}
    [result] = run_compiled("strided_slice", {"Input": x}, attrs)
    np.testing.assert_array_equal(result, x[box])


def test_the_host_copies_backwards_and_by_computed_ranges() -> None:
    x = floats(1, 4, 5)
    back: dict[str, AttrValue] = {"axes": [1], "starts": [4], "ends": [-6], "strides": [-1]}
    results, is_compiled = run("strided_slice", {"Input": x}, back)
    assert not is_compiled
    np.testing.assert_array_equal(results[0], x[:, ::-1])
    computed = {"Input": x, "StartsTensor": np.array([1]), "EndsTensor": np.array([3])}
    results, is_compiled = run("slice", computed, {"axes": [0]})
    assert not is_compiled
    np.testing.assert_array_equal(results[0], x[1:3])
    assert not run("slice", {"Input": x}, {"axes": [0], "starts": [2], "ends": [2]})[1]


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize(("shape", "side"), [((1, 3, 8, 66), 2), ((1, 2, 6, 9), 3), ((1, 5, 4, 4), 1)])
def test_squares_of_pixels_become_channels(
    shape: tuple[int, int, int, int], side: int, channels_first: bool
) -> None:
    x = floats(1, *shape)
    attrs: dict[str, AttrValue] = {"blocksize": side, "channels_first": channels_first}
    [result] = run_compiled("space_to_depth", {"X": x}, attrs)
    channels = shape[1]
    for i in range(side):
        for j in range(side):
            place = i * side + j
            found = (
                result[:, place :: side**2] if channels_first else result[:, place * channels :][:, :channels]
            )
            np.testing.assert_array_equal(found, x[:, :, i::side, j::side])
