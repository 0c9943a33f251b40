"""conv3d and conv3d_transpose: every product added where it belongs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

X = noise(2, 4, 4, 5, 3)
CHOICES: list[dict[str, Any]] = [
    {},
    {"strides": [2, 1, 2], "paddings": [1, 0, 1]},
    {"dilations": [1, 2, 1], "paddings": [0, 1, 2, 0, 1, 1]},
    {"groups": 2, "strides": [1, 2, 1]},
]


def pairs(attrs: dict[str, Any]) -> list[tuple[int, int]]:
    pads = attrs.get("paddings", [0, 0, 0])
    return [(p, p) for p in pads] if len(pads) == 3 else list(zip(pads[::2], pads[1::2], strict=True))


def places(attrs: dict[str, Any], at: tuple[int, ...], tap: tuple[int, ...]) -> tuple[int, ...]:
    """Where a tap of the window at a place lies."""
    strides, dilations = attrs.get("strides", [1] * 3), attrs.get("dilations", [1] * 3)
    return tuple(at[n] * strides[n] + tap[n] * dilations[n] - pairs(attrs)[n][0] for n in range(3))


def inside(place: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    return all(0 <= p < size for p, size in zip(place, sizes, strict=True))


@pytest.mark.parametrize("attrs", CHOICES, ids=str)
@pytest.mark.parametrize("biased", [False, True])
def test_conv3d_agrees_with_loops(attrs: dict[str, Any], biased: bool) -> None:
    groups = attrs.get("groups", 1)
    weight, bias = noise(6, 4 // groups, 2, 3, 2, seed=1), noise(6, seed=2)
    strides, dilations = attrs.get("strides", [1] * 3), attrs.get("dilations", [1] * 3)
    sizes = [
        (size + sum(pad) - d * (k - 1) - 1) // s + 1
        for size, pad, d, k, s in zip(
            X.shape[2:], pairs(attrs), dilations, weight.shape[2:], strides, strict=True
        )
    ]
    wanted = np.zeros((2, 6, *sizes), np.float32) + (bias.reshape(-1, 1, 1, 1) if biased else np.float32(0))
    for n, o, *at in np.ndindex(*wanted.shape):
        for c, *tap in np.ndindex(*weight.shape[1:]):
            place = places(attrs, tuple(at), tuple(tap))
            if inside(place, X.shape[2:]):
                channel = o // (6 // groups) * (4 // groups) + c
                wanted[(n, o, *at)] += X[(n, channel, *place)] * weight[(o, c, *tap)]
    inputs = {"Input": X, "Filter": weight} | ({"Bias": bias} if biased else {})

    near(checked("conv3d", inputs, attrs), [wanted], 1e-4)


@pytest.mark.parametrize("attrs", [*CHOICES, {"strides": [2, 2, 3], "output_padding": [1, 0, 2]}], ids=str)
@pytest.mark.parametrize("biased", [False, True])
def test_conv3d_transpose_agrees_with_loops(attrs: dict[str, Any], biased: bool) -> None:
    groups = attrs.get("groups", 1)
    weight, bias = noise(4, 6 // groups, 2, 3, 2, seed=1), noise(6, seed=2)
    strides, dilations = attrs.get("strides", [1] * 3), attrs.get("dilations", [1] * 3)
    more = attrs.get("output_padding", [0, 0, 0])
    sizes = tuple(
        (X.shape[2 + n] - 1) * strides[n]
        + dilations[n] * (weight.shape[2 + n] - 1)
        + 1
        - sum(pairs(attrs)[n])
        + more[n]
        for n in range(3)
    )
    wanted = np.zeros((2, 6, *sizes), np.float32) + (bias.reshape(-1, 1, 1, 1) if biased else np.float32(0))
    for (n, c, *at), (o, *tap) in itertools.product(np.ndindex(*X.shape), np.ndindex(*weight.shape[1:])):
        place = places(attrs, tuple(at), tuple(tap))
        if inside(place, sizes):
            channel = c // (4 // groups) * (6 // groups) + o
            wanted[(n, channel, *place)] += X[(n, c, *at)] * weight[(c, o, *tap)]
    inputs = {"Input": X, "Filter": weight} | ({"Bias": bias} if biased else {})

    near(checked("conv3d_transpose", inputs, attrs), [wanted], 1e-4)


def test_an_activation_is_the_last_step() -> None:
    inputs = {"Input": X, "Filter": noise(6, 4, 2, 2, 2, seed=1)}
    [plain] = checked("conv3d", inputs)

    near(checked("conv3d", inputs, {"activation": "relu"}), [np.maximum(plain, 0)], 0)
    near(
        checked("conv3d", inputs, {"activation": "leaky_relu", "activation_params": [0.1]}),
        [np.where(plain < 0, plain * np.float32(0.1), plain)],
        1e-6,
    )


def test_an_empty_batch_gives_an_empty_result() -> None:
    empty: Array = X[:0]

    assert checked("conv3d", {"Input": empty, "Filter": noise(6, 4, 2, 2, 2)})[0].shape == (0, 6, 3, 4, 2)
    transposed = checked("conv3d_transpose", {"Input": empty, "Filter": noise(4, 6, 2, 2, 2)})[0]
    assert transposed.shape == (0, 6, 5, 6, 4)
