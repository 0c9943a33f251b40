"""resize against ONNX's reference, which interpolates one output element at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked, numbers, same
from tests.kernels.host.onnx_reference import near, noise, reference

COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
SCALES = np.array([1.0, 2.0, 0.6], np.float32)
SIZES = np.array([2, 7, 3])


def check(x: Array, **attrs: Any) -> None:
    """With what `attrs` has in capitals as inputs."""
    given = {name: attrs.pop(name) for name in list(attrs) if name[0].isupper()}
    (wanted,) = reference("Resize", [x, given.get("Roi"), given.get("Scales"), given.get("Sizes")], **attrs)
    flags = {name: bool(attrs[name]) for name in ("exclude_outside", "antialias") if name in attrs}
    near(checked("resize", {"X": x, **given}, attrs | flags), [wanted], 1e-4)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("slot", ["Scales", "Sizes"])
def test_coordinates_agree_with_onnx(mode: str, coordinates: str, slot: str) -> None:
    size = {slot: SCALES if slot == "Scales" else SIZES}

    check(noise(2, 4, 5), mode=mode, coordinate_transformation_mode=coordinates, **size)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_nearest_agrees_with_onnx(rounding: str, coordinates: str) -> None:
    check(
        noise(1, 4, 6),
        nearest_mode=rounding,
        coordinate_transformation_mode=coordinates,
        Scales=np.array([1, 2, 0.5], np.float32),
    )


def test_float32_decides_between_two_nearest_elements() -> None:
    """Position 3 is 3.5 / 0.7 - 0.5 = 4.5 in float32, and more with the float64 of the scale."""
    attrs = {
        "mode": "nearest",
        "coordinate_transformation_mode": "half_pixel",
        "nearest_mode": "round_prefer_floor",
    }
    x = np.arange(10, dtype=np.float32)
    (found,) = checked("resize", {"X": x, "Scales": np.array([0.7], np.float32)}, attrs)
    same(found, np.array([0, 2, 3, 4, 6, 7, 9], np.float32))


def test_a_position_near_the_middle_of_two_elements_is_the_middle() -> None:
    """Position 2 is 2 / (4 / 7), in float32 a bit less than 3.5."""
    attrs = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "round_prefer_ceil",
    }
    x = np.arange(7, dtype=np.float32)
    (found,) = checked("resize", {"X": x, "Sizes": np.array([4])}, attrs)
    same(found, np.array([0, 2, 4, 5], np.float32))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("antialias", [0, 1])
@pytest.mark.parametrize("exclude", [0, 1])
def test_borders_and_antialias_agree_with_onnx(mode: str, antialias: int, exclude: int) -> None:
    check(
        noise(1, 9, 8),
        mode=mode,
        antialias=antialias,
        exclude_outside=exclude,
        cubic_coeff_a=-0.5,
        Scales=np.array([1, 0.4, 0.75], np.float32),
    )


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
def test_policies_keep_the_aspect_ratio(policy: str) -> None:
    check(noise(1, 4, 6), keep_aspect_ratio_policy=policy, Sizes=np.array([7, 8]), axes=[2, 1], mode="linear")


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_crop_extrapolates_outside(mode: str) -> None:
    check(
        noise(4, 5),
        mode=mode,
        coordinate_transformation_mode="tf_crop_and_resize",
        Roi=np.array([0.4, -0.2, 0.8, 1.3], np.float32),
        Sizes=np.array([3, 6]),
        extrapolation_value=10.0,
    )


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_integers_are_rounded_and_kept_in_range(dtype: str) -> None:
    x = np.array([[0, 127, 0, 127, 3]], dtype)
    (wide,) = checked("resize", {"X": x.astype(np.float64), "Sizes": np.array([1, 9])}, {"mode": "cubic"})
    limits = np.iinfo(dtype)

    (found,) = checked("resize", {"X": x, "Sizes": np.array([1, 9])}, {"mode": "cubic"})

    same(found, np.array([[min(max(round(float(v)), limits.min), limits.max) for v in wide[0]]], dtype))


@pytest.mark.parametrize("slot", ["Scales", "Sizes"])
def test_the_same_size_is_a_copy(slot: str) -> None:
    x = numbers(2, 3)
    size = np.array([1, 1], np.float32) if slot == "Scales" else np.array([2, 3])

    same(checked("resize", {"X": x, slot: size}, {"mode": "cubic"})[0], x)
