"""affine_grid against the host's kernel, and against products of matrices."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("sizes", [(4, 9), (1, 5), (3, 1, 6), (2, 5, 7)], ids=str)
@pytest.mark.parametrize("is_input", [True, False])
def test_affine_grid_equals_the_hosts(sizes: tuple[int, ...], align_corners: bool, is_input: bool) -> None:
    inputs, rank, shape = {"Theta": floats(0, 2, len(sizes), len(sizes) + 1)}, len(sizes), [2, 3, *sizes]
    attrs = {"align_corners": align_corners, "output_shape": [] if is_input else shape}
    constants = {"OutputShape": np.array(shape)} if is_input else {}

    [out] = run_compiled("affine_grid", inputs | constants, attrs, constants)

    assert out.shape == (2, *sizes, rank)


def test_positions_in_an_image() -> None:
    theta = floats(0, 1, 2, 3)

    [out] = run_compiled(
        "affine_grid", {"Theta": theta}, {"output_shape": [1, 1, 2, 4], "align_corners": False}
    )

    places = [[x, y, 1] for y in (-0.5, 0.5) for x in (-0.75, -0.25, 0.25, 0.75)]
    np.testing.assert_allclose(out.reshape(8, 2), np.array(places) @ theta[0].T, rtol=0, atol=1e-6)


def test_no_positions_are_left_to_the_host() -> None:
    assert not run("affine_grid", {"Theta": floats(0, 1, 2, 3)}, {"output_shape": [1, 1, 0, 4]})[1]
