"""Convolutions equal loops over windows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def convolution(x: Array, weight: Array, stride: int, dilation: int, groups: int) -> Array:
    """A convolution without padding over any number of spatial axes, window by window."""
    axes = x.ndim - 2
    sizes = [
        (size - dilation * (k - 1) - 1) // stride + 1
        for size, k in zip(x.shape[2:], weight.shape[2:], strict=True)
    ]
    out = np.zeros((len(x), len(weight), *sizes))
    per_group, inputs = len(weight) // groups, weight.shape[1]
    for n, channel in itertools.product(range(len(x)), range(len(weight))):
        first = channel // per_group * inputs
        for position in itertools.product(*map(range, sizes)):
            window = tuple(
                slice(
                    position[a] * stride,
                    position[a] * stride + dilation * (weight.shape[2 + a] - 1) + 1,
                    dilation,
                )
                for a in range(axes)
            )
            read: tuple[Any, ...] = (n, slice(first, first + inputs), *window)
            out[(n, channel, *position)] = (x[read] * weight[channel]).sum()
    return out


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("mode", MODES)
def test_convolution_with_every_mode_of_padding(axes: int, mode: str) -> None:
    x, weight, bias = noise(2, 4, *[5] * axes), noise(6, 2, *[3] * axes, seed=1), noise(6, seed=2)
    params = f"kernel_size=(3) stride=(2) padding=(1) dilation=(1) groups=2 bias=True padding_mode={mode}"
    params = params.replace("(3)", f"({','.join('3' * axes)})")
    (output,) = one_op(f"nn.Conv{axes}d", [x], params, {"weight": weight, "bias": bias})
    padded = np.pad(x, [(0, 0), (0, 0), *[(1, 1)] * axes], MODES[mode])  # type: ignore[call-overload]
    expected = convolution(padded, weight, 2, 1, 2) + bias.reshape(-1, *[1] * axes)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_same_padding_puts_an_odd_element_after(axes: int) -> None:
    x, weight = noise(1, 2, *[5] * axes), noise(3, 2, *[2] * axes, seed=1)
    params = f"kernel_size=({','.join('2' * axes)}) stride=(1) padding=same dilation=(3) groups=1 bias=False"
    (output,) = one_op(f"nn.Conv{axes}d", [x], params, {"weight": weight})
    padded = np.pad(x, [(0, 0), (0, 0), *[(1, 2)] * axes])
    np.testing.assert_allclose(output, convolution(padded, weight, 1, 3, 1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transposed_convolution(axes: int) -> None:
    x, weight = noise(1, 4, *[3] * axes), noise(4, 3, *[3] * axes, seed=1)
    params = "kernel_size=(3) stride=(2) padding=(1) output_padding=(1) dilation=(1) groups=1 bias=False"
    (output,) = one_op(f"nn.ConvTranspose{axes}d", [x], params, {"weight": weight})
    full = np.zeros((1, 3, *[(3 - 1) * 2 + 3 + 1] * axes))
    for position in itertools.product(*[range(3)] * axes):
        read: tuple[Any, ...] = (0, slice(None), *position)
        write: tuple[Any, ...] = (0, slice(None), *(slice(2 * p, 2 * p + 3) for p in position))
        full[write] += np.tensordot(x[read], weight, 1)
    inside: tuple[Any, ...] = (slice(None), slice(None), *[slice(1, -1)] * axes)
    np.testing.assert_allclose(output, full[inside], rtol=1e-4, atol=1e-5)


def test_a_weight_of_another_rank_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"weight @weight: expected 4 dimensions, got \[2, 2, 3\]"):
        one_op("nn.Conv2d", [noise(1, 2, 5, 5)], "kernel_size=(3,3)", {"weight": noise(2, 2, 3)})


def test_an_input_of_another_rank_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"expected an input of 4 dimensions, got 2"):
        one_op("nn.Conv2d", [noise(5, 5)], "kernel_size=(3,3)", {"weight": noise(2, 2, 3, 3)})
