"""pool_nd and max_unpool, window by window."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked, numbers, same
from tests.kernels.host.onnx_reference import near

CHOICES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((7,), {"ksize": [3]}),
    ((7,), {"ksize": [3], "strides": [2], "paddings": [1, 1], "dilations": [2]}),
    ((5, 6), {"ksize": [2, 3], "strides": [2, 1], "paddings": [1, 0, 0, 2]}),
    ((5, 6), {"ksize": [2, 2], "strides": [2, 2], "ceil_mode": True}),
    ((4, 3, 5), {"ksize": [2, 2, 3], "strides": [1, 2, 2], "paddings": [0, 1, 1, 0, 1, 1]}),
]


def whole(attrs: dict[str, Any]) -> dict[str, Any]:
    """With a number for each axis where the attributes say none."""
    rank = len(attrs["ksize"])
    return {"strides": [1] * rank, "dilations": [1] * rank, "paddings": [0] * (2 * rank), **attrs}


def places(sizes: tuple[int, ...], attrs: dict[str, Any]) -> tuple[list[int], Any]:
    """The sizes of the output, and a function that lists a window's places, outside ones too."""
    rank = len(sizes)
    kernel, strides, dilations, pads = (
        whole(attrs)[name] for name in ("ksize", "strides", "dilations", "paddings")
    )
    outs = []
    for n, size in enumerate(sizes):
        span = size + pads[2 * n] + pads[2 * n + 1] - dilations[n] * (kernel[n] - 1) - 1
        count = (math.ceil if attrs.get("ceil_mode") else math.floor)(span / strides[n]) + 1
        starts_after_input = (count - 1) * strides[n] >= size + pads[2 * n]
        outs.append(count - starts_after_input)

    def window(at: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [
            tuple(at[n] * strides[n] + tap[n] * dilations[n] - pads[2 * n] for n in range(rank))
            for tap in itertools.product(*map(range, kernel))
        ]

    return outs, window


def inside(place: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    return all(0 <= p < size for p, size in zip(place, sizes, strict=True))


@pytest.mark.parametrize(("sizes", "attrs"), CHOICES)
@pytest.mark.parametrize("column_major", [False, True])
def test_maxima_and_indices_agree_with_loops(
    sizes: tuple[int, ...], attrs: dict[str, Any], column_major: bool
) -> None:
    x = numbers(2, 3, *sizes)
    outs, window = places(sizes, attrs)
    wanted, index = np.zeros((2, 3, *outs), np.float32), np.zeros((2, 3, *outs), np.int64)
    for n, c, *at in np.ndindex(*wanted.shape):
        found = [place for place in window(tuple(at)) if inside(place, sizes)]
        best = max(found, key=lambda place: float(x[(n, c, *place)]))
        wanted[(n, c, *at)] = x[(n, c, *best)]
        flat = int(np.ravel_multi_index(best, sizes, order="F" if column_major else "C"))
        index[(n, c, *at)] = (n * 3 + c) * math.prod(sizes) + flat

    values, indices = checked(
        "pool_nd", {"X": x}, {**whole(attrs), "column_major": column_major}, {"Out": 1, "Indices": 1}
    )

    same(values, wanted)
    same(indices, index)


@pytest.mark.parametrize(("sizes", "attrs"), CHOICES)
@pytest.mark.parametrize("exclusive", [False, True])
def test_averages_agree_with_loops(sizes: tuple[int, ...], attrs: dict[str, Any], exclusive: bool) -> None:
    x = numbers(2, 1, *sizes)
    pads = whole(attrs)["paddings"]
    outs, window = places(sizes, attrs)
    wanted = np.zeros((2, 1, *outs), np.float32)
    for n, c, *at in np.ndindex(*wanted.shape):
        found = window(tuple(at))
        taken = [float(x[(n, c, *place)]) for place in found if inside(place, sizes)]
        padded = [
            all(-pads[2 * k] <= p < sizes[k] + pads[2 * k + 1] for k, p in enumerate(place))
            for place in found
        ]
        wanted[(n, c, *at)] = sum(taken) / (len(taken) if exclusive else sum(padded))

    near(
        checked("pool_nd", {"X": x}, {**whole(attrs), "pooling_type": "avg", "exclusive": exclusive}),
        [wanted],
    )


@pytest.mark.parametrize(("sizes", "attrs"), CHOICES)
@pytest.mark.parametrize("norm", [1, 2, 3])
def test_norms_agree_with_loops(sizes: tuple[int, ...], attrs: dict[str, Any], norm: int) -> None:
    x = numbers(1, 2, *sizes) - 5
    outs, window = places(sizes, attrs)
    wanted = np.zeros((1, 2, *outs), np.float32)
    for n, c, *at in np.ndindex(*wanted.shape):
        taken = [float(x[(n, c, *place)]) for place in window(tuple(at)) if inside(place, sizes)]
        wanted[(n, c, *at)] = sum(abs(v) ** norm for v in taken) ** (1 / norm)

    near(checked("pool_nd", {"X": x}, {**whole(attrs), "pooling_type": "lp", "norm": norm}), [wanted], 1e-4)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_integers_have_maxima(dtype: str) -> None:
    x = (numbers(1, 1, 4, 4) - 3).astype(dtype)

    (found,) = checked("pool_nd", {"X": x}, whole({"ksize": [4, 4]}))

    same(found, x.max(axis=(2, 3), keepdims=True))


def unpooled(x: Array, indices: Array, own: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape, x.dtype)
    for value, index in zip(x.ravel(), indices.ravel(), strict=True):
        out[np.unravel_index(int(index), own)] = value
    return out


@pytest.mark.parametrize("larger", [False, True])
def test_max_unpool_puts_maxima_back(larger: bool) -> None:
    source = numbers(2, 3, 4, 6)
    attrs = {"ksize": [2, 2], "strides": [2, 2], "paddings": [0] * 4}
    pooling = whole(attrs)
    x, indices = checked("pool_nd", {"X": source}, pooling, {"Out": 1, "Indices": 1})
    shape = (2, 3, 5, 7) if larger else source.shape
    inputs = {"X": x, "Indices": indices} | ({"Shape": np.array(shape)} if larger else {})

    (found,) = checked("max_unpool", inputs, attrs)

    same(found, unpooled(x, indices, source.shape, shape))


def test_max_unpool_takes_indices_of_the_output_where_the_pools_of_its_size_are_fewer() -> None:
    """The last row and column of 5 × 7 are in no window, so that 4 × 6 cannot hold the indices."""
    source = numbers(2, 3, 5, 7)
    attrs = {"ksize": [2, 2], "strides": [2, 2], "paddings": [0] * 4}
    x, indices = checked("pool_nd", {"X": source}, whole(attrs), {"Out": 1, "Indices": 1})

    (found,) = checked("max_unpool", {"X": x, "Indices": indices, "Shape": np.array(source.shape)}, attrs)

    same(found, unpooled(x, indices, source.shape, source.shape))
