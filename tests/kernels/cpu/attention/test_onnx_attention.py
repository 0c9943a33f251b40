"""attention against the kernel of the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, bind_unprepared, close, floats

SIZES = [(1, 40, 16), (3, 37, 5), (4, 9, 33), (70, 70, 64), (130, 300, 20), (9, 3, 8)]
"""Rows, keys and columns: rows that are read as they are, fewer than a tile, several blocks, few keys."""

SETTINGS: dict[str, dict[str, Any]] = {
    "all": {},
    "causal": {"is_causal": True},
    "lower right": {"is_causal": True, "causal_lower_right": True},
    "cap": {"softcap": 1.5, "scale": 0.7},
    "window": {"left_window_size": 4, "right_window_size": 2},
    "far window": {"left_window_size": 2, "causal_lower_right": True},
}


def check(inputs: dict[str, Array], attrs: dict[str, Any]) -> None:
    """The compiled kernel computes what the host does, in a new array and in a buffer."""
    bound = bind("attention", inputs, attrs, outputs={"Out": 1})
    assert bound.is_compiled
    result = bound()[0]
    expected = bind_unprepared("attention", inputs, attrs)()[0]
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    close(result, expected)
    buffer = np.full_like(result, np.nan)
    bound(out=(buffer, None, None, None))
    np.testing.assert_array_equal(buffer, result)


def operands(rows: int, keys: int, size: int, heads: int = 4, kv_heads: int = 2) -> dict[str, Array]:
    return {
        "Q": floats(1, 2, heads, rows, size),
        "K": floats(2, 2, kv_heads, keys, size),
        "V": floats(3, 2, kv_heads, keys, size + 3),
    }


@pytest.mark.parametrize(("rows", "keys", "size"), SIZES)
@pytest.mark.parametrize("attrs", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("extra", ["", "mask", "lengths", "sink", "mask, lengths, sink"])
def test_heads_as_an_axis(rows: int, keys: int, size: int, attrs: dict[str, Any], extra: str) -> None:
    inputs = operands(rows, keys, size)
    if "mask" in extra:
        mask = floats(4, 2, 1, rows, keys)
        inputs["Mask"] = np.where(mask > 0.8, -np.inf, mask).astype(np.float32)
    if "lengths" in extra:
        inputs["KeyLengths"] = np.array([keys, keys // 3])
    if "sink" in extra:
        inputs["Sink"] = floats(5, 4)
    check(inputs, attrs)


@pytest.mark.parametrize(("heads", "kv_heads"), [(6, 6), (6, 2), (4, 1)])
@pytest.mark.parametrize("rows", [2, 20])
@pytest.mark.parametrize("cached", [False, True])
def test_heads_in_rows(heads: int, kv_heads: int, rows: int, cached: bool) -> None:
    inputs = operands(rows, rows + 5, 16, heads, kv_heads)
    for slot in ("Q",) if cached else ("Q", "K", "V"):
        by_row = inputs[slot].swapaxes(1, 2)
        inputs[slot] = np.ascontiguousarray(by_row).reshape(*by_row.shape[:2], -1)
    attrs = {"q_num_heads": heads, "kv_num_heads": kv_heads, "is_causal": True, "causal_lower_right": True}
    check(inputs, attrs)


def test_rows_that_see_no_key_are_zero() -> None:
    inputs = operands(40, 50, 16) | {"KeyLengths": np.array([0, 12])}

    result = bind("attention", inputs, {"is_causal": True}, outputs={"Out": 1})()[0]

    assert not result[0].any()
    assert not result[1, :, :28].any()
    assert result[1, :, 28:].all()


def test_keys_beyond_the_length_are_not_read() -> None:
    inputs = operands(20, 30, 16) | {"KeyLengths": np.array([21, 30])}
    for slot in ("K", "V"):
        inputs[slot][0, :, 21:] = np.nan

    result = bind("attention", inputs, {}, outputs={"Out": 1})()[0]

    assert np.isfinite(result).all()


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"Mask": np.ones((3, 5), bool)}, {"Out": 1}),
        ({"Mask": np.zeros((3, 4), np.float32)}, {"Out": 1}),
        ({"KeyLengths": np.array([5, 5], np.int32)}, {"Out": 1}),
        ({"PastKey": floats(6, 2, 2, 1, 16), "PastValue": floats(6, 2, 2, 1, 19)}, {"Out": 1}),
        ({}, {"Out": 1, "Scores": 1}),
    ],
    ids=["boolean", "short mask", "int32", "past", "scores"],
)
def test_the_host_computes_the_rest(inputs: dict[str, Array], outputs: dict[str, int]) -> None:
    assert not bind("attention", operands(3, 5, 16) | inputs, {}, outputs=outputs).is_compiled
