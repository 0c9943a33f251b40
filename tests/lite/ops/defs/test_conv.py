"""What a convolution's residual does to its shape; the rest is checked with the kernels."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("residual", "attrs", "found"),
    [
        ("float32[n,8,h,w]", {}, "float32[n,8,h,w]"),
        ("float32[1,8,1,1]", {}, "float32[n,8,h,w]"),
        ("float32[n,8,5,7]", {}, "float32[n,8,5,7]"),
        ("float32[*]", {}, "float32[*]"),
        ("float32[n,h,w,8]", {"data_format": "NHWC"}, "float32[n,h,w,8]"),
    ],
)
def test_broadcasts_with_the_residual(residual: str, attrs: dict[str, str], found: str) -> None:
    image = "float32[n,h,w,3]" if attrs else "float32[n,3,h,w]"
    inputs = {"Input": image, "Filter": "float32[8,3,1,1]", "ResidualData": residual}

    assert inferred("conv2d", inputs, attrs) == found


def test_a_residual_that_does_not_fit() -> None:
    inputs = {"Input": "float32[1,3,4,4]", "Filter": "float32[8,3,1,1]", "ResidualData": "float32[1,4,4,4]"}

    with pytest.raises(GraphError, match="conv2d: inputs: expected shapes that broadcast"):
        inferred("conv2d", inputs)
