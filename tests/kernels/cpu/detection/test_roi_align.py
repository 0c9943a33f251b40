"""roi_align_indexed against the host's kernel, which plain loops check."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled

X = floats(0, 2, 3, 12, 17)
BOXES = np.array([[1, 2, 9, 8], [0, 0, 33, 23], [-9, -4, 5, 50], [7, 7, 7, 7], [40, 40, 90, 90]], np.float32)
INPUTS = {"X": X, "ROIs": BOXES, "Images": np.array([0, 1, 1, 0, 0])}


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("samples", [1, 2, 3])
@pytest.mark.parametrize("kind", ["avg", "max"])
def test_roi_align_equals_the_hosts(aligned: bool, samples: int, kind: str) -> None:
    attrs = {
        "pooling_type": kind, "pooled_height": 3, "pooled_width": 4, "sampling_ratio": samples,
        "spatial_scale": 0.5, "aligned": aligned,
    }  # fmt: skip

    run_compiled("roi_align_indexed", INPUTS, attrs)


@pytest.mark.parametrize("channels", [3, 4, 21])
@pytest.mark.parametrize("bins", [(2, 5), (9, 8)])
@pytest.mark.parametrize("kind", ["avg", "max"])
def test_roi_align_of_many_channels_and_bins(channels: int, bins: tuple[int, int], kind: str) -> None:
    inputs = INPUTS | {"X": floats(1, 2, channels, 5, 7)}
    attrs = {
        "pooling_type": kind, "pooled_height": bins[0], "pooled_width": bins[1], "sampling_ratio": 2,
        "spatial_scale": 0.25, "aligned": True,
    }  # fmt: skip

    run_compiled("roi_align_indexed", inputs, attrs)


@pytest.mark.parametrize("channels", [2, 5])
def test_nan_is_a_maximum(channels: int) -> None:
    x = floats(1, 2, channels, 12, 17)
    x[0, 0, 4, 5] = x[1, 1, 11, 16] = np.nan
    attrs = {
        "pooling_type": "max", "pooled_height": 9, "pooled_width": 8, "sampling_ratio": 2,
        "spatial_scale": 0.5, "aligned": False,
    }  # fmt: skip

    [out] = run_compiled("roi_align_indexed", INPUTS | {"X": x}, attrs)

    assert np.isnan(out).any()


def test_an_image_that_is_missing() -> None:
    attrs = {
        "pooling_type": "avg", "pooled_height": 2, "pooled_width": 2, "sampling_ratio": 2,
        "spatial_scale": 1.0, "aligned": True,
    }  # fmt: skip

    with pytest.raises(IndexError, match="expected 0 to 1, got 0 to 2"):
        run_compiled("roi_align_indexed", INPUTS | {"Images": np.array([0, 1, 2, 0, 0])}, attrs)


@pytest.mark.parametrize("samples", [0, 700])
def test_other_numbers_of_samples_are_left_to_the_host(samples: int) -> None:
    attrs = {
        "pooling_type": "avg", "pooled_height": 2, "pooled_width": 2, "sampling_ratio": samples,
        "spatial_scale": 0.5, "aligned": True,
    }  # fmt: skip

    assert not run("roi_align_indexed", INPUTS, attrs)[1]
