"""Operators on regions equal what follows from their definition."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.pnnx.models import noise, one_op, run


@pytest.mark.parametrize("aligned", [False, True])
def test_a_region_of_a_plane_has_the_values_at_the_centres_of_its_bins(aligned: bool) -> None:
    rows, columns = np.mgrid[0:8, 0:8].astype(np.float32)
    x = np.stack([rows, columns])[None].repeat(2, 0)
    x[1] *= 3
    rois = np.array([[0, 2, 3, 8, 9], [1, 4, 4, 12, 8]], np.float32)
    text = f"output_size=(2,4) sampling_ratio=2 spatial_scale=0.5 aligned={aligned}"
    (output,) = one_op("torchvision.ops.RoIAlign", [x, rois], text)
    for (image, *box), result in zip(rois, output, strict=True):
        left, top, right, bottom = (0.5 * np.array(box) - (0.5 if aligned else 0)).tolist()
        down = top + (np.arange(2) + 0.5) * (bottom - top) / 2
        along = left + (np.arange(4) + 0.5) * (right - left) / 4
        expected = np.stack(np.meshgrid(down, along, indexing="ij")) * (3 if image else 1)
        np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize("masked", [False, True])
def test_offsets_of_whole_pixels_shift_the_image(masked: bool) -> None:
    x, weight, bias = noise(1, 4, 6, 6), noise(3, 4, 3, 3, seed=1), noise(3, seed=2)
    offset = np.zeros((1, 18, 4, 4), np.float32)
    offset[:, 1::2] = 1
    mask = [np.full((1, 9, 4, 4), 0.5, np.float32)] if masked else []
    text = "kernel_size=(3,3) stride=(1,1) padding=(0,0) dilation=(1,1) groups=1 bias=True"
    weights = {"weight": weight, "bias": bias}
    (output,) = one_op("torchvision.ops.DeformConv2d", [x, offset, *mask], text, weights)
    shifted = np.pad(x, [(0, 0)] * 3 + [(0, 1)])[..., 1:]
    windows = np.lib.stride_tricks.sliding_window_view(shifted, (3, 3), (2, 3))
    expected = np.einsum("nchwij,ocij->nohw", windows, weight) * (0.5 if masked else 1)
    np.testing.assert_allclose(output, expected + bias[:, None, None], rtol=1e-4, atol=1e-5)


def test_boxes_that_overlap_a_better_one_are_left_out() -> None:
    boxes = np.array([[0, 0, 4, 4], [1, 1, 5, 5], [0, 0, 4.2, 4.1], [6, 6, 9, 9]], np.float32)
    scores = np.array([0.7, 0.8, 0.9, 0.6], np.float32)
    lines = [
        "pnnx.Input b 0 1 b #b=(4,4)f32",
        "pnnx.Input s 0 1 s #s=(4)f32",
        "pnnx.Expression e 0 1 e expr=0.5",
        "torchvision::nms n 3 1 b s e k #k=(4)i64",
        "pnnx.Output o 1 0 k",
    ]
    (kept,) = run(lines, [boxes, scores])
    assert (kept.dtype.name, kept.tolist()) == ("int64", [2, 1, 3])
