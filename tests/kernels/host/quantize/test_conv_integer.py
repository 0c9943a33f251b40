"""conv_integer and qlinear_conv: window by window in Python's integers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked, same

SOURCE = np.random.default_rng(0)
X = SOURCE.integers(0, 256, (2, 4, 5, 6)).astype(np.uint8)
FILTER = SOURCE.integers(-128, 128, (6, 2, 2, 3)).astype(np.int8)
CHOICES: list[dict[str, Any]] = [
    {},
    {"strides": [2, 1], "pads": [0, 1, 1, 2]},
    {"dilations": [2, 1]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
    {"auto_pad": "SAME_LOWER"},
    {"auto_pad": "VALID", "strides": [1, 3]},
]


def sums(x_zero: int, filter_zero: Array, attrs: dict[str, Any]) -> Array:
    strides, dilations = attrs.get("strides", [1, 1]), attrs.get("dilations", [1, 1])
    pads = attrs.get("pads", [0, 0, 0, 0])
    extents = [d * (k - 1) + 1 for d, k in zip(dilations, FILTER.shape[2:], strict=True)]
    if attrs.get("auto_pad", "").startswith("SAME"):
        totals = [
            max((-(-size // step) - 1) * step + extent - size, 0)
            for size, step, extent in zip(X.shape[2:], strides, extents, strict=True)
        ]
        more, less = [-(-total // 2) for total in totals], [total // 2 for total in totals]
        pads = [*less, *more] if attrs["auto_pad"] == "SAME_UPPER" else [*more, *less]
    sizes = [
        (size + pads[n] + pads[n + 2] - extents[n]) // strides[n] + 1 for n, size in enumerate(X.shape[2:])
    ]
    out = np.zeros((2, 6, *sizes), np.int64)
    for n, o, a, b in np.ndindex(*out.shape):
        for c, i, j in itertools.product(*map(range, FILTER.shape[1:])):
            row, column = (
                a * strides[0] + i * dilations[0] - pads[0],
                b * strides[1] + j * dilations[1] - pads[1],
            )
            if 0 <= row < 5 and 0 <= column < 6:
                taken = int(X[n, o // 3 * 2 + c, row, column]) - x_zero
                out[n, o, a, b] += taken * (
                    int(FILTER[o, c, i, j]) - int(filter_zero.flat[o % filter_zero.size])
                )
    return out


@pytest.mark.parametrize("attrs", CHOICES, ids=str)
@pytest.mark.parametrize("zeros", ["none", "one", "one a channel"])
def test_conv_integer_subtracts_zero_points(attrs: dict[str, Any], zeros: str) -> None:
    inputs = {"X": X, "Filter": FILTER}
    x_zero, filter_zero = 0, np.zeros(1, np.int8)
    if zeros != "none":
        x_zero = 120
        filter_zero = np.array(7, np.int8) if zeros == "one" else np.arange(-3, 3, dtype=np.int8)
        inputs |= {"XZeroPoint": np.array(x_zero, np.uint8), "FilterZeroPoint": filter_zero}

    (found,) = checked("conv_integer", inputs, {**attrs, "group": 2})

    same(found, sums(x_zero, filter_zero, attrs).astype(np.int32))


@pytest.mark.parametrize("attrs", CHOICES[:3], ids=str)
@pytest.mark.parametrize("many", [False, True], ids=["one scale", "one a channel"])
@pytest.mark.parametrize("biased", [False, True])
def test_qlinear_conv_requantises(attrs: dict[str, Any], many: bool, biased: bool) -> None:
    scale = np.arange(1, 7, dtype=np.float32) / 64 if many else np.array(0.03125, np.float32)
    zero = np.arange(-3, 3, dtype=np.int8) if many else np.array(2, np.int8)
    bias = np.arange(-300, 300, 100, dtype=np.int32)
    inputs: dict[str, Array] = {
        "X": X,
        "XScale": np.array(0.5, np.float32),
        "XZeroPoint": np.array(100, np.uint8),
        "Filter": FILTER,
        "FilterScale": scale,
        "FilterZeroPoint": zero,
        "OutScale": np.array(4.0, np.float32),
        "OutZeroPoint": np.array(128, np.uint8),
    }
    inputs |= {"Bias": bias} if biased else {}
    whole = sums(100, zero, attrs) + (bias.reshape(-1, 1, 1) if biased else 0)
    factors = np.broadcast_to(0.5 * scale.astype(float) / 4.0, 6).reshape(-1, 1, 1)
    wanted = np.array([min(max(round(v) + 128, 0), 255) for v in (whole * factors).ravel()], np.uint8)

    (found,) = checked("qlinear_conv", inputs, {**attrs, "group": 2})

    same(found, wanted.reshape(whole.shape))
