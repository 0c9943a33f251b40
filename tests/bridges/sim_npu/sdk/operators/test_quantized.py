"""The operators on int8 equal loops over Python's integers, to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.ir.types import Array
from tests.bridges.sim_npu.sdk.program_run import execute, graph_of

RANDOM = np.random.default_rng(7)
ZEROS = {"zero": -5, "out_zero": 17, "low": -100, "high": 90}


def int8(*shape: int) -> Array:
    return RANDOM.integers(-128, 128, shape).astype(np.int8)


def to_int8(total: int, multiplier: int, shift: int) -> int:
    """The formula of the manual, in integers of any size."""
    scaled: int = (total * multiplier + 2 ** (shift - 1)) // 2**shift
    return min(max(scaled + 17, -100), 90)


def scales(count: int) -> dict[str, list[int]]:
    multipliers = RANDOM.integers(2**30, 2**31 - 1, count).tolist()
    return {"multipliers": multipliers, "shifts": RANDOM.integers(36, 40, count).tolist()}


def elements(shape: Sequence[int], compute: Callable[..., int]) -> Array:
    result = np.zeros(shape, np.int8)
    for index in itertools.product(*(range(size) for size in shape)):
        result[index] = compute(*index)
    return result


def run(kind: str, *arrays: Array, constants: Any = (), **attributes: Any) -> Array:
    graph = graph_of(kind, *arrays, constants=constants, **attributes)
    [result] = execute(graph, *(array for n, array in enumerate(arrays) if n not in constants))
    return result


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolution(groups: int) -> None:
    x, w = int8(2, 4, 5, 6), int8(8, 4 // groups, 3, 2)
    bias = RANDOM.integers(-(2**14), 2**14, 8).astype(np.int32)
    rest = scales(8)
    result = run(
        "Q_CONV_2D",
        x,
        w,
        bias,
        constants=(1, 2),
        groups=groups,
        stride=2,
        pads=[1, 0, 1, 1],
        **ZEROS,
        **rest,
    )

    def at(n: int, m: int, row: int, column: int) -> int:
        total = int(bias[m])
        for c, i, j in itertools.product(range(4 // groups), range(3), range(2)):
            y, z = 2 * row + i - 1, 2 * column + j - 1
            if 0 <= y < 5 and 0 <= z < 6:
                channel = m // (8 // groups) * (4 // groups) + c
                total += (int(x[n, channel, y, z]) + 5) * int(w[m, c, i, j])
        return to_int8(total, rest["multipliers"][m], rest["shifts"][m])

    np.testing.assert_array_equal(result, elements((2, 8, 2, 4), at))


def test_transposed_convolution() -> None:
    x, w = int8(1, 4, 3, 3), int8(4, 3, 2, 2)
    bias = np.array([5, -900, 77, 0, 1, 2], np.int32)
    rest = scales(6)
    result = run("Q_CONV_TRANSPOSE_2D", x, w, bias, constants=(1, 2), groups=2, stride=2, **ZEROS, **rest)

    def at(n: int, m: int, row: int, column: int) -> int:
        total = int(bias[m])
        for c in range(2):
            channel = m // 3 * 2 + c
            pixel = int(x[n, channel, row // 2, column // 2]) + 5
            total += pixel * int(w[channel, m % 3, row % 2, column % 2])
        return to_int8(total, rest["multipliers"][m], rest["shifts"][m])

    np.testing.assert_array_equal(result, elements((1, 6, 6, 6), at))


def test_fully_connected() -> None:
    x, w, bias = int8(3, 7), int8(7, 4), np.array([1, -2, 3000, 0], np.int32)
    rest = scales(4)
    result = run("Q_FULLY_CONNECTED", x, w, bias, constants=(1, 2), **ZEROS, **rest)

    def at(row: int, m: int) -> int:
        total = int(bias[m]) + sum((int(x[row, k]) + 5) * int(w[k, m]) for k in range(7))
        return to_int8(total, rest["multipliers"][m], rest["shifts"][m])

    np.testing.assert_array_equal(result, elements((3, 4), at))


def test_sum_with_signs_and_broadcast() -> None:
    a, b = int8(2, 3), int8(1, 3)
    result = run("Q_ADD", a, b, other_zero=9, multipliers=[700000, -300000], shifts=[20], **ZEROS)

    def at(row: int, column: int) -> int:
        total = (int(a[row, column]) + 5) * 700000 - (int(b[0, column]) - 9) * 300000
        return min(max((total + 2**19) // 2**20 + 17, -100), 90)

    np.testing.assert_array_equal(result, elements((2, 3), at))


def test_product() -> None:
    a, b, rest = int8(2, 3), int8(2, 1), scales(1)
    result = run("Q_MUL", a, b, other_zero=9, **ZEROS, **rest)

    def at(row: int, column: int) -> int:
        total = (int(a[row, column]) + 5) * (int(b[row, 0]) - 9)
        return to_int8(total, rest["multipliers"][0], rest["shifts"][0])

    np.testing.assert_array_equal(result, elements((2, 3), at))


def test_mean() -> None:
    x, rest = int8(2, 3, 4, 4), scales(1)
    result = run("Q_MEAN", x, axes=[2, 3], **ZEROS, **rest)

    def at(n: int, c: int, _row: int, _column: int) -> int:
        total = sum(int(item) + 5 for item in x[n, c].reshape(-1))
        return to_int8(total, rest["multipliers"][0], rest["shifts"][0])

    np.testing.assert_array_equal(result, elements((2, 3, 1, 1), at))


@pytest.mark.parametrize("count_padding", [False, True])
def test_average_of_windows(count_padding: bool) -> None:
    x, rest = int8(1, 2, 4, 4), scales(9)
    window = {"kernel": [3, 3], "stride": 2, "pads": [1, 1, 1, 1]}
    result = run("Q_POOL_2D", x, mode="AVERAGE", count_padding=count_padding, **window, **ZEROS, **rest)

    def at(n: int, c: int, row: int, column: int) -> int:
        places = [(2 * row + i - 1, 2 * column + j - 1) for i in range(3) for j in range(3)]
        inside = [int(x[n, c, y, z]) + 5 for y, z in places if 0 <= y < 4 and 0 <= z < 4]
        count = 9 if count_padding else len(inside)
        return to_int8(sum(inside), rest["multipliers"][count - 1], rest["shifts"][count - 1])

    np.testing.assert_array_equal(result, elements((1, 2, 2, 2), at))


def test_maximum_of_windows() -> None:
    x = int8(1, 2, 4, 4)
    window = {"kernel": [2, 2], "stride": 2}
    result = run("Q_POOL_2D", x, mode="MAX", multipliers=[0], shifts=[1], **window)

    np.testing.assert_array_equal(result, x.reshape(1, 2, 2, 2, 2, 2).max((3, 5)))


def test_table() -> None:
    x, table = int8(3, 4), int8(256)
    result = run("Q_LOOKUP", x, table, constants=(1,))

    np.testing.assert_array_equal(result, elements((3, 4), lambda row, n: table[int(x[row, n]) + 128]))


@pytest.mark.parametrize(
    ("kind", "types", "attributes", "message"),
    [
        ("Q_MUL", [np.float32, np.int8], scales(1), "supported: int8"),
        ("Q_MEAN", [np.int8], {"axes": [1], "multipliers": [1, 2], "shifts": [1]}, "1 multipliers"),
        ("Q_MEAN", [np.int8], {"axes": [1], "multipliers": [2**31], "shifts": [1]}, "31 bits"),
        ("Q_MEAN", [np.int8], {"axes": [1], "multipliers": [1], "shifts": [63]}, "1 to 62"),
    ],
)
def test_the_builder_refuses(
    kind: str, types: Sequence[Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(sdk.NpuError, match=message):
        graph_of(kind, *(np.zeros((2, 2), dtype) for dtype in types), **attributes)
