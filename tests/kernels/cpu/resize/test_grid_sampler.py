"""grid_sampler against the host's kernel, which plain loops check."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run, run_compiled


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [True, False])
def test_grid_sampler_equals_the_hosts(mode: str, padding: str, corners: bool) -> None:
    grid = np.random.default_rng(1).uniform(-2.5, 2.5, (2, 7, 5, 2)).astype(np.float32)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    for shape in ((2, 3, 6, 9), (2, 1, 1, 4), (2, 21, 6, 9)):
        run_compiled("grid_sampler", {"X": floats(0, *shape), "Grid": grid}, attrs)


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [True, False])
def test_grid_sample_equals_the_hosts(mode: str, padding: str, corners: bool) -> None:
    grid = np.random.default_rng(1).uniform(-2.5, 2.5, (2, 9, 15, 2)).astype(np.float32)
    grid[0, 0, :4] = np.array([[-1, 1], [1, -1], [0, 0], [0.5, -0.5]], np.float32)
    attrs = {"mode": mode, "padding_mode": padding, "align_corners": corners}

    for shape in ((2, 3, 6, 9), (2, 1, 1, 4), (2, 37, 5, 8)):
        run_compiled("grid_sample", {"X": floats(0, *shape), "Grid": grid}, attrs)


def test_volumes_are_left_to_the_host() -> None:
    grid = np.zeros((1, 2, 2, 2, 3), np.float32)
    assert not run("grid_sample", {"X": floats(0, 1, 2, 3, 3, 3), "Grid": grid}, {"mode": "linear"})[1]


def test_positions_far_outside_read_zeros() -> None:
    grid = np.array([1e30, -1e30, np.inf, 0.5, 9, 0, 0.1, -np.inf], np.float32).reshape(1, 2, 2, 2)
    attrs = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
    bound = bind("grid_sampler", {"X": floats(0, 1, 2, 4, 4), "Grid": grid}, attrs)

    assert bound.is_compiled
    assert (bound() == 0).all()


def test_a_position_that_is_no_number_gives_none() -> None:
    grid = np.array([np.nan, 0, 0, 0], np.float32).reshape(1, 1, 2, 2)
    attrs = {"mode": "bilinear", "padding_mode": "border", "align_corners": True}

    result = bind("grid_sampler", {"X": floats(0, 1, 1, 4, 4), "Grid": grid}, attrs)()

    assert np.isnan(result).reshape(-1).tolist() == [True, False]
