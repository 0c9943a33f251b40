"""Packed weights of bytes have the declared lengths, and are wide where sums of pairs need it."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.cpu.codes import WIDE
from lite.kernels.cpu.lengths import quantized
from lite.kernels.cpu.quantize.packing import is_wide, packed_weights
from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES

OUTPUTS, DEPTH = 5, 3


def lengths(w: Array, flags: int) -> int:
    """The declared length of packed weights of ``int8[OUTPUTS, 4 · DEPTH]`` in one vector of channels."""
    numbers = np.zeros(3 * LANES, np.float32)
    found = quantized.multiply(
        *(
            None,
            w,
            numbers,
            None,
            None,
            None,
            numbers,
            None,
            None,
            None,
            None,
            flags,
            1,
            6,
            0,
            DEPTH,
            OUTPUTS,
        ),
        *(1.0, 0.0, 7),
    )
    return found[1]


@pytest.mark.parametrize("most", [64, 127])
def test_the_declared_length_is_that_of_the_packed_weights(most: int) -> None:
    weight = np.random.default_rng(0).integers(-most, most + 1, (OUTPUTS, 4 * DEPTH)).astype(np.int8)
    assert is_wide(weight) == (HAS_PAIRS and most > 64)
    w = packed_weights(weight, LANES)
    assert lengths(w, WIDE if is_wide(weight) else 0) == w.size


@pytest.mark.skipif(not HAS_PAIRS, reason="this processor sums products of bytes by one instruction")
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([64, 64, -64, -64], False),
        ([127, -128, 1, 127], False),
        ([127, 1, 127, 2], True),
        ([-127, -2, 0, 0], True),
        ([0, 127, 127, 0], False),
        ([0, 0, -128], False),
    ],
)
def test_weights_are_wide_where_a_pair_of_one_sign_exceeds_16_bits(row: list[int], expected: bool) -> None:
    assert is_wide(np.array([row, [0] * len(row)], np.int8)) is expected
