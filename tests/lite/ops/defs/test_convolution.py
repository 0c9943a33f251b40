"""Shapes of convolutions with a residual; tests of the kernels check the other shapes."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("residual", "attrs", "expected"),
    [
        ("float32[n,8,h,w]", {}, "float32[n,8,h,w]"),
        ("float32[1,8,1,1]", {}, "float32[n,8,h,w]"),
        ("float32[n,8,5,7]", {}, "float32[n,8,5,7]"),
        ("float32[*]", {}, "float32[*]"),
        ("float32[n,h,w,8]", {"data_format": "NHWC"}, "float32[n,h,w,8]"),
    ],
)
def test_the_residual_broadcasts_with_the_output(residual: str, attrs: dict[str, str], expected: str) -> None:
    image = "float32[n,h,w,3]" if attrs else "float32[n,3,h,w]"
    inputs = {"Input": image, "Filter": "float32[8,3,1,1]", "ResidualData": residual}

    assert inferred("conv2d", inputs, attrs) == expected


def test_a_residual_of_other_channels_is_refused() -> None:
    inputs = {"Input": "float32[1,3,4,4]", "Filter": "float32[8,3,1,1]", "ResidualData": "float32[1,4,4,4]"}

    with pytest.raises(GraphError, match="conv2d: inputs: expected shapes that broadcast"):
        inferred("conv2d", inputs)


@pytest.mark.parametrize(
    ("op", "filter_shape", "shape"),
    [
        ("conv3d", "float32[8,3,1,3,3]", "float32[n,8,d,4,5]"),
        ("conv3d_transpose", "float32[3,8,1,3,3]", "float32[n,8,?,8,9]"),
    ],
)
def test_volumes(op: str, filter_shape: str, shape: str) -> None:
    assert inferred(op, {"Input": "float32[n,3,d,6,7]", "Filter": filter_shape}) == shape


def test_volumes_may_have_channels_last() -> None:
    inputs = {"Input": "float32[n,4,5,6,3]", "Filter": "float32[8,3,1,1,1]"}

    assert inferred("conv3d", inputs, {"data_format": "NDHWC"}) == "float32[n,4,5,6,8]"
