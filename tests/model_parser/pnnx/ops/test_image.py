"""Resizing and borders equal numpy's; torch's own results are in the suite."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op, run

X = noise(1, 2, 4, 5)


@pytest.mark.parametrize(
    ("pad", "widths"),
    [
        ("(1,2)", [(0, 0), (0, 0), (0, 0), (1, 2)]),
        ("(1,2,0,3)", [(0, 0), (0, 0), (0, 3), (1, 2)]),
        ("(0,0,0,0,1,0)", [(0, 0), (1, 0), (0, 0), (0, 0)]),
    ],
)
def test_constant_borders(pad: str, widths: list[tuple[int, int]]) -> None:
    (got,) = one_op("F.pad", [X], f"mode=constant pad={pad} value=-inf")
    np.testing.assert_array_equal(got, np.pad(X, widths, constant_values=-np.inf))


def test_negative_borders_cut() -> None:
    (got,) = one_op("F.pad", [X], "mode=constant pad=(-1,2,1,-2) value=None")
    np.testing.assert_array_equal(got, np.pad(X[:, :, :-2, 1:], [(0, 0), (0, 0), (1, 0), (0, 2)]))


@pytest.mark.parametrize(
    ("mode", "numpy_mode"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_borders_of_the_image(mode: str, numpy_mode: str, axes: int) -> None:
    x = noise(1, 2, *[4] * axes)
    widths = [(0, 0), (0, 0), *[(n, n + 1) for n in range(axes)]]
    pad = ",".join(f"{a},{b}" for a, b in reversed(widths[2:]))
    (got,) = one_op("F.pad", [x], f"mode={mode} pad=({pad})")
    np.testing.assert_array_equal(got, np.pad(x, widths, numpy_mode))  # type: ignore[call-overload]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_borders_that_are_operands(axes: int) -> None:
    x = noise(1, 2, *[4] * axes)
    lines = [
        f"pnnx.Input i 0 1 x #x=(?,2{',4' * axes})f32",
        "pnnx.Expression e 1 1 x n expr=[size(@0,0),2]",
        "F.pad p 2 1 x n y mode=constant value=None $input=x $pad=n",
        "pnnx.Output o 1 0 y",
    ]
    (got,) = run(lines, [x])
    np.testing.assert_array_equal(got, np.pad(x, [*[(0, 0)] * (1 + axes), (1, 2)]))


def test_borders_of_all_axes_need_a_constant() -> None:
    with pytest.raises(ModelParseError, match=r"mode reflect pads spatial axes only, got 3 axes of 4"):
        one_op("F.pad", [X], "mode=reflect pad=(0,0,0,0,1,1)")


@pytest.mark.parametrize("params", ["scale_factor=(2.0,3.0)", "size=(8,15)"])
def test_nearest(params: str) -> None:
    (got,) = one_op("F.interpolate", [X], f"mode=nearest {params}")
    np.testing.assert_array_equal(got, X.repeat(2, 2).repeat(3, 3))


def test_nearest_of_one_axis() -> None:
    (got,) = one_op("nn.Upsample", [X[0]], "mode=nearest scale_factor=2.0 size=None")
    np.testing.assert_array_equal(got, X[0].repeat(2, 2))


def test_linear_with_corners() -> None:
    x = np.array([[[0.0, 1.0, 4.0]]], np.float32)
    (got,) = one_op("nn.Upsample", [x], "mode=linear size=(5) align_corners=True")
    np.testing.assert_allclose(got, [[[0, 0.5, 1, 2.5, 4]]], rtol=1e-6)


def test_a_method_for_another_number_of_axes() -> None:
    with pytest.raises(ModelParseError, match=r"mode trilinear takes 3 spatial axes, the input has 2"):
        one_op("nn.Upsample", [X], "mode=trilinear size=(5,5,5)")
