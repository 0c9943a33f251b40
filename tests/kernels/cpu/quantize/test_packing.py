"""Packed weights of bytes name places in a row of the input; binding checks them."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.cpu.lengths import quantized
from lite.kernels.cpu.quantize.packing import packed_weights
from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES

OUTPUTS, DEPTH = 5, 3


def lengths(w: Array) -> int:
    """The declared length of packed weights of ``int8[OUTPUTS, 4 · DEPTH]`` in one vector of channels."""
    numbers = np.zeros(3 * LANES, np.float32)
    found = quantized.multiply(
        None, w, numbers, None, None, None, numbers, None, None, None, 0, 1, DEPTH, OUTPUTS, 1.0, 0.0, 7
    )
    return found[1]


def packed() -> Array:
    weight = np.random.default_rng(0).integers(-127, 128, (OUTPUTS, 4 * DEPTH)).astype(np.int8)
    return packed_weights(weight, LANES)


def test_the_declared_length_is_that_of_the_packed_weights() -> None:
    w = packed()
    assert lengths(w) == w.size


@pytest.mark.skipif(not HAS_PAIRS, reason="this processor sums products of bytes by one instruction")
@pytest.mark.parametrize(("place", "number"), [(0, -4), (1, 4 * DEPTH - 3), (DEPTH, -1), (DEPTH, DEPTH + 1)])
def test_places_outside_of_a_row_are_refused(place: int, number: int) -> None:
    w = packed()
    w[-4 * (DEPTH + 1) :].view(np.int32)[place] = number

    with pytest.raises(ValueError, match="packed weights name bytes outside of an input row"):
        lengths(w)
