"""Bit shifts, bitcast and shrink against Python's integers and structs."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, filled, same


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
@pytest.mark.parametrize("op", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_multiply_or_divide_by_powers_of_two(op: str, dtype: type[np.integer]) -> None:
    x, places = np.array([[1, 5], [100, 96]], dtype), np.array([2, 1], dtype)
    bits = 8 * x.itemsize

    def element(row: int, column: int) -> int:
        number, by = int(x[row, column]), int(places[column])
        return (number << by) % 2**bits if op == "bitwise_left_shift" else number >> by

    (got,) = checked(op, {"X": x, "Y": places})

    same(got, filled((2, 2), dtype, element))


@pytest.mark.parametrize(("is_arithmetic", "wanted"), [(True, -2), (False, 126)])
def test_a_logical_shift_ignores_the_sign(is_arithmetic: bool, wanted: int) -> None:
    attrs = {"is_arithmetic": is_arithmetic}

    (got,) = checked(
        "bitwise_right_shift", {"X": np.array([-4], np.int8), "Y": np.array([1], np.int8)}, dict(attrs)
    )

    same(got, np.array([wanted], np.int8))


@pytest.mark.parametrize("shape", [(), (3,), (1, 3)])
def test_bitcast_keeps_the_bytes(shape: tuple[int, ...]) -> None:
    x = np.array([1.5, -2.0, 0.1], np.float32)[: int(np.prod(shape))].reshape(shape)
    numbers = [struct.unpack("<i", struct.pack("<f", number))[0] for number in x.reshape(-1).tolist()]

    (got,) = checked("bitcast", {"X": x}, {"dtype": DType.INT32.code})

    same(got, np.array(numbers, np.int32).reshape(shape))


def test_bitcast_to_another_width_is_refused() -> None:
    with pytest.raises(
        GraphError, match="bitcast: attribute dtype: expected a type as wide as float32, got int8"
    ):
        checked("bitcast", {"X": float32([1.0])}, {"dtype": DType.INT8.code})


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_shrink_moves_numbers_towards_zero(dtype: type[np.generic]) -> None:
    x = np.array([-3, -2, -1, 0, 1, 2, 3], dtype)

    (got,) = checked("shrink", {"X": x}, {"lambd": 1.5, "bias": 1.0})

    same(got, np.array([-2, -1, 0, 0, 0, 1, 2], dtype))
