"""Resize in every mode, by Paddle's ops and by ours."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

X = np.random.default_rng(0).standard_normal((1, 2, 4, 6)).astype(np.float32)
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
SCALES = np.array([1, 1, 2, 0.5], np.float32)
SIZES = np.array([1, 2, 7, 3])


@pytest.mark.parametrize(
    ("mode", "coordinates"), list(itertools.product(["nearest", "linear", "cubic"], COORDINATES))
)
@pytest.mark.parametrize("by_size", [False, True])
def test_modes(mode: str, coordinates: str, by_size: bool) -> None:
    attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
    given = [None, None, SIZES] if by_size else [None, SCALES]

    matches_reference("Resize", [X, *given], attrs, opset=19, constants=[3 if by_size else 2], tolerance=1e-4)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("coordinates", ["asymmetric", "half_pixel"])
@pytest.mark.parametrize("scale", [2, 3, 1.5])
def test_rounding(rounding: str, coordinates: str, scale: float) -> None:
    attrs = {"nearest_mode": rounding, "coordinate_transformation_mode": coordinates}

    matches_reference("Resize", [X, None, np.array([1, 1, scale, scale], np.float32)], attrs, constants=[2])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_aspect_ratio_and_axes(policy: str) -> None:
    attrs = {"axes": [3, 2], "keep_aspect_ratio_policy": policy}

    matches_reference("Resize", [X, None, None, np.array([4, 9])], attrs, constants=[3])


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("switch", ["antialias", "exclude_outside"])
def test_weights(mode: str, switch: str) -> None:
    scales = np.array([1, 1, 0.6, 0.4], np.float32)
    if (mode, switch) == ("linear", "exclude_outside"):
        scales = np.array([1, 1, 1, 2], np.float32)

    matches_reference("Resize", [X, None, scales], {"mode": mode, switch: 1}, constants=[2], tolerance=1e-4)


def test_crop() -> None:
    roi = np.array([0, 0, 0.2, -0.3, 1, 1, 0.9, 0.8], np.float32)
    attrs = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }

    matches_reference("Resize", [X, roi, None, SIZES], attrs, constants=[1, 3], tolerance=1e-4)


def test_upsample() -> None:
    scales = np.array([1, 1, 2, 3], np.float32)

    found = run(model_of("Upsample", [X, scales], opset=9, constants=[1]), {"x0": X})["y0"]

    np.testing.assert_array_equal(found, X.repeat(2, 2).repeat(3, 3))


def test_without_scales_and_sizes() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Resize\): expected scales or sizes"):
        run(model_of("Resize", [X]), {"x0": X})
