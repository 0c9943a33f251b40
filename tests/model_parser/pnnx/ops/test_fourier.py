"""Fourier transforms, and arithmetic of complex numbers, equal numpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, run

X = noise(3, 8, 6)
TRANSFORMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "fft": ("dim=-1 n=None norm=None", np.fft.fft),
    "ifft": ("dim=1 n=None norm=None", lambda x: np.fft.ifft(x, axis=1)),
    "rfft": ("dim=-1 n=10 norm=ortho", lambda x: np.fft.rfft(x, 10, norm="ortho")),
    "ihfft": ("dim=-1 n=None norm=None", lambda x: np.fft.ihfft(x)),
    "fft2": ("dim=(-2,-1) s=None norm=None", np.fft.fft2),
    "rfft2": ("dim=(-2,-1) s=None norm=forward", lambda x: np.fft.rfft2(x, norm="forward")),
    "ifft2": ("dim=(-2,-1) s=None norm=None", np.fft.ifft2),
    "fftn": ("dim=None s=None norm=None", np.fft.fftn),
    "rfftn": ("dim=None s=None norm=None", np.fft.rfftn),
}


def through(lines: list[str], inputs: list[Array], names: str) -> list[Array]:
    feeds = [
        f"pnnx.Input i{n} 0 1 {name} #{name}=({','.join(map(str, array.shape))})f32"
        for n, (name, array) in enumerate(zip(names, inputs, strict=True))
    ]
    return run([*feeds, *lines], inputs)


@pytest.mark.parametrize("kind", TRANSFORMS)
def test_transforms_of_real_numbers(kind: str) -> None:
    text, function = TRANSFORMS[kind]
    lines = [
        f"torch.fft.{kind} f 1 1 x c {text} #c=(3,8,6)c64",
        "torch.real r 1 1 c y",
        "torch.imag i 1 1 c z",
        "torch.abs a 1 1 c w",
        "pnnx.Output o 3 0 y z w",
    ]
    expected = function(X)
    for output, wanted in zip(
        through(lines, [X], "x"), (expected.real, expected.imag, np.abs(expected)), strict=True
    ):
        np.testing.assert_allclose(output, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("end", ["", "2", "n"])
def test_a_spectrum_and_its_inverse(end: str) -> None:
    text = "dim=-1 n=None norm=None" if not end else "dim=(-2,-1) s=None norm=None"
    lines = [
        f"torch.fft.rfft{end} f 1 1 x c {text}",
        "pnnx.Expression e 1 1 c d expr=mul(@0,2)",
        f"torch.fft.irfft{end} g 1 1 d y {text}",
        "pnnx.Output o 1 0 y",
    ]
    np.testing.assert_allclose(through(lines, [X], "x")[0], 2 * X, rtol=1e-4, atol=1e-5)


def test_rotations_by_complex_products() -> None:
    x, y = noise(3, 4, 2), noise(3, 4, 2, seed=1)
    lines = [
        "torch.view_as_complex a 1 1 x c",
        "torch.view_as_complex b 1 1 y d",
        "pnnx.Expression e 2 1 c d p expr=sub(mul(@0,@1),@1)",
        "Tensor.reshape s 1 1 p q shape=(12)",
        "torch.view_as_real r 1 1 q z",
        "pnnx.Output o 1 0 z",
    ]
    first, second = (np.ascontiguousarray(part).view(np.complex64)[..., 0] for part in (x, y))
    product = (first * second - second).reshape(12)
    (output,) = through(lines, [x, y], "xy")
    np.testing.assert_allclose(output, np.stack([product.real, product.imag], -1), rtol=1e-4, atol=1e-5)


def test_complex_outputs_are_refused() -> None:
    with pytest.raises(ModelParseError, match=r"outputs of complex numbers are not supported"):
        through(["torch.fft.fft f 1 1 x c dim=-1 n=None norm=None", "pnnx.Output o 1 0 c"], [X], "x")
