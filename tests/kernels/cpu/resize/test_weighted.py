"""Resizing by weighted sums along any axes, against the host's kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled

SIZES: list[tuple[tuple[int, ...], list[int]]] = [
    ((1, 2, 20, 33), [1, 2, 7, 11]),
    ((2, 3, 9), [2, 3, 21]),
    ((3, 8, 1, 5), [3, 5, 4, 5]),
    ((2, 5, 1), [4, 1, 1]),
]


@pytest.mark.parametrize(("shape", "sizes"), SIZES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize(
    "more",
    [
        {"antialias": True},
        {"antialias": True, "coordinate_transformation_mode": "align_corners"},
        {"exclude_outside": True, "cubic_coeff_a": -0.5},
        {"coordinate_transformation_mode": "half_pixel_symmetric"},
    ],
    ids=str,
)
def test_sizes(shape: tuple[int, ...], sizes: list[int], mode: str, more: dict[str, Any]) -> None:
    inputs = {"X": floats(0, *shape), "Sizes": np.array(sizes)}

    [out] = run_compiled("resize", inputs, {"mode": mode, **more}, ["Sizes"])

    assert out.shape == tuple(sizes)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_scales(mode: str) -> None:
    inputs = {"X": floats(0, 2, 3, 10, 9), "Scales": np.array([1, 1, 0.37, 1.05], np.float32)}

    [out] = run_compiled("resize", inputs, {"mode": mode, "antialias": True}, ["Scales"])

    assert out.shape == (2, 3, 3, 9)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_integers_run_on_the_host(mode: str) -> None:
    x = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)

    [out], is_compiled = run("resize", {"X": x, "Sizes": np.array([2, 6, 8])}, {"mode": mode}, ["Sizes"])

    assert not is_compiled
    assert out.shape == (2, 6, 8)
    assert out.dtype == np.uint8


def test_elements_beyond_reach_do_not_count() -> None:
    x = floats(0, 1, 1, 40)
    x[0, 0, 20] = np.inf
    attrs = {"mode": "linear", "antialias": True}

    [out] = run_compiled("resize", {"X": x, "Sizes": np.array([1, 1, 10])}, attrs, ["Sizes"])

    assert np.flatnonzero(np.isinf(out)).tolist() == [4, 5]


@pytest.mark.parametrize(
    ("shape", "sizes", "more"),
    [
        ((2, 8), [2, 8], {}),
        ((2, 8), [2, 4], {"coordinate_transformation_mode": "tf_crop_and_resize"}),
        ((1, 3000), [1, 8], {}),
    ],
    ids=["no axis changes", "parts of X", "a large axis"],
)
def test_others_are_left_to_the_host(shape: tuple[int, ...], sizes: list[int], more: dict[str, Any]) -> None:
    inputs = {"X": floats(0, *shape), "Sizes": np.array(sizes)}

    assert not run("resize", inputs, {"mode": "linear", "antialias": True, **more}, ["Sizes"])[1]
