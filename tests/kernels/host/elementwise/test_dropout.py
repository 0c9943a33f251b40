"""dropout at inference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.plugin.kernel import host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize(
    ("implementation", "factor"), [("downgrade_in_infer", 0.75), ("upscale_in_train", 1.0)]
)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4)])
def test_x_is_scaled_by_the_probability_to_keep(
    implementation: str, factor: float, shape: tuple[int, ...]
) -> None:
    x = np.full(shape, 4, np.float32)
    attrs: dict[str, AttrValue] = {"dropout_prob": 0.25, "dropout_implementation": implementation}

    (got,) = checked("dropout", {"X": x}, attrs)

    np.testing.assert_array_equal(got, np.full(shape, 4 * factor, np.float32))


def test_the_seed_does_not_change_the_result() -> None:
    (got,) = checked("dropout", {"X": float32([2, 4]), "Seed": np.array([7], np.int32)})

    np.testing.assert_array_equal(got, float32([1, 2]))


def test_the_mask_is_written_and_keeps_everything() -> None:
    mask = np.full((2, 3), 85, np.uint8)
    x = np.full((2, 3), 4, np.float32)

    host_kernel("dropout").run(x, out=(np.empty_like(x), mask))

    np.testing.assert_array_equal(mask, np.ones((2, 3), np.uint8))
