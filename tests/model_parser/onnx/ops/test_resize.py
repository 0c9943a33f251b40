"""Resize, GridSample, AffineGrid, and exchanges of depth and space."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    model_of,
    run,
)

X = np.random.default_rng(0).standard_normal((1, 2, 4, 6)).astype(np.float32)
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
SCALES = np.array([1, 1, 2, 0.5], np.float32)
SIZES = np.array([1, 2, 7, 3])
RNG = np.random.default_rng(0)
IMAGES = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize(
    ("mode", "coordinates"), list(itertools.product(["nearest", "linear", "cubic"], COORDINATES))
)
@pytest.mark.parametrize("by_size", [False, True])
def test_resize_in_every_mode(mode: str, coordinates: str, by_size: bool) -> None:
    attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
    targets = [None, None, SIZES] if by_size else [None, SCALES]

    check_against_reference(
        "Resize", [X, *targets], attrs, opset=19, constants=[3 if by_size else 2], tolerance=1e-4
    )


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("coordinates", ["asymmetric", "half_pixel"])
@pytest.mark.parametrize("scale", [2, 3, 1.5])
def test_nearest_resize_with_every_rounding(rounding: str, coordinates: str, scale: float) -> None:
    attrs = {"nearest_mode": rounding, "coordinate_transformation_mode": coordinates}

    check_against_reference(
        "Resize", [X, None, np.array([1, 1, scale, scale], np.float32)], attrs, constants=[2]
    )


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("scales", [[1, 1, 2, 3], [1, 1, 1.5, 0.5], [1, 1, 0.7, 2.3]])
@pytest.mark.parametrize("opset", [11, 18])
def test_resize_at_the_pixel_centres_of_tensorflow(
    opset: int, scales: list[float], rounding: str, mode: str
) -> None:
    """ONNX has the mode in opsets 11 and 12 only, ONNX Runtime in later ones, too."""
    attrs = {"mode": mode, "nearest_mode": rounding, "coordinate_transformation_mode": "tf_half_pixel_for_nn"}
    roi = np.zeros(0, np.float32)
    model = model_of("Resize", [X, roi, np.array(scales, np.float32)], attrs, opset=opset, constants=[1, 2])

    check_against_onnxruntime(model, {"x0": X})


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("sizes", [[1, 2, 1, 3], [1, 2, 4, 1]])
@pytest.mark.parametrize("constants", [(), (3,)])
def test_resize_to_one_row_or_column(
    mode: str, coordinates: str, sizes: list[int], constants: tuple[int, ...]
) -> None:
    attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
    inputs = [X, None, None, np.array(sizes)]
    model = model_of("Resize", inputs, attrs, constants=constants, symbolic=bool(constants))
    feeds = {"x0": X} if constants else {"x0": X, "x3": np.array(sizes)}

    check_against_onnxruntime(model, feeds, {**feeds, "x0": X[:, :, :3]} if constants else feeds)


@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_resize_by_a_scale_that_leaves_one_row_or_none(mode: str) -> None:
    scales = np.array([1, 1, 0.5, 0.25], np.float32)
    model = model_of("Resize", [X, None, scales], {"mode": mode}, constants=[2], symbolic=True)

    check_against_onnxruntime(model, {"x0": X}, {"x0": X[:, :, :2, :4]}, {"x0": X[:, :, :1]})


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_resize_with_an_aspect_ratio_policy(policy: str) -> None:
    attrs = {"axes": [3, 2], "keep_aspect_ratio_policy": policy}

    check_against_reference("Resize", [X, None, None, np.array([4, 9])], attrs, constants=[3])


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("switch", ["antialias", "exclude_outside"])
def test_resize_with_antialias_and_exclude_outside(mode: str, switch: str) -> None:
    scales = np.array([1, 1, 0.6, 0.4], np.float32)
    if (mode, switch) == ("linear", "exclude_outside"):
        scales = np.array([1, 1, 1, 2], np.float32)

    check_against_reference(
        "Resize", [X, None, scales], {"mode": mode, switch: 1}, constants=[2], tolerance=1e-4
    )


def test_resize_of_a_crop() -> None:
    roi = np.array([0, 0, 0.2, -0.3, 1, 1, 0.9, 0.8], np.float32)
    attrs = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }

    check_against_reference("Resize", [X, roi, None, SIZES], attrs, constants=[1, 3], tolerance=1e-4)


def test_upsample_of_opset_9() -> None:
    scales = np.array([1, 1, 2, 3], np.float32)

    output = run(model_of("Upsample", [X, scales], opset=9, constants=[1]), {"x0": X})["y0"]

    np.testing.assert_array_equal(output, X.repeat(2, 2).repeat(3, 3))


def test_resize_without_scales_and_sizes_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Resize\): expected scales or sizes"):
        run(model_of("Resize", [X]), {"x0": X})


@pytest.mark.parametrize(
    ("mode", "padding", "corners"),
    list(itertools.product(["linear", "nearest", "cubic"], ["zeros", "border", "reflection"], [0, 1])),
)
def test_grid_sample_equals_the_reference(mode: str, padding: str, corners: int) -> None:
    grid = np.random.default_rng(1).uniform(-1.6, 1.6, (2, 3, 2, 2)).astype(np.float32)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    if (mode, padding) == ("cubic", "border"):
        # The reference implementation clamps positions, ONNX Runtime and PyTorch clamp elements.
        model = model_of("GridSample", [IMAGES, grid], attrs)
        check_against_onnxruntime(model, {"x0": IMAGES, "x1": grid})
        return
    check_against_reference("GridSample", [IMAGES, grid], attrs, tolerance=1e-4)


def test_grid_sample_of_volumes() -> None:
    volume = np.random.default_rng(1).standard_normal((1, 2, 3, 4, 3)).astype(np.float32)
    grid = np.random.default_rng(2).uniform(-1.2, 1.2, (1, 2, 2, 2, 3)).astype(np.float32)

    check_against_reference("GridSample", [volume, grid], opset=20, tolerance=1e-4)


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("size", [[2, 3, 4, 5], [2, 3, 4, 5, 3]])
def test_affine_grid_equals_the_reference(corners: int, size: list[int]) -> None:
    axes = len(size) - 2
    theta = np.random.default_rng(1).standard_normal((2, axes, axes + 1)).astype(np.float32)

    check_against_reference("AffineGrid", [theta, np.array(size)], {"align_corners": corners}, constants=[1])


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space_equals_the_reference(mode: str) -> None:
    x = np.arange(2 * 8 * 2 * 3, dtype=np.float32).reshape(2, 8, 2, 3)

    check_against_reference("DepthToSpace", [x], {"blocksize": 2, "mode": mode})


def test_space_to_depth_equals_the_reference() -> None:
    x = np.arange(2 * 3 * 4 * 6, dtype=np.int32).reshape(2, 3, 4, 6)

    check_against_reference("SpaceToDepth", [x], {"blocksize": 2})
