"""Weights in pairs: their products fit 16 bits on processors that add two of them there."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.device.short_sums import MOST, pair_sums
from lite.quantization.geometry import Geometry
from lite.quantization.grid import quantize_weight
from lite.quantization.pairs import best_pairs, pair_reach, partners_of
from lite.quantization.rounding import Correlation

GEOMETRIES = {
    "even channels": (Geometry((3, 3)), (8, 6, 3, 3)),
    "odd channels": (Geometry((3, 3)), (8, 3, 3, 3)),
    "one channel": (Geometry((3, 2)), (8, 1, 3, 2)),
    "groups": (Geometry((1, 1), groups=2), (8, 4, 1, 1)),
    "product": (Geometry(), (6, 8)),
    "odd product": (Geometry(), (7, 8)),
}


def drawn(geometry: Geometry, shape: tuple[int, ...]) -> tuple[Array, int, int, Correlation]:
    """A weight, its axes of outputs and of sums, and the correlation of an activation."""
    rng = np.random.default_rng(1)
    weight = rng.standard_normal(shape).astype(np.float32)
    correlation = Correlation(geometry)
    if geometry.kernel is None:
        correlation.see(rng.uniform(0, 1, (90, shape[0])).astype(np.float32))
        return weight, 1, 0, correlation
    image = rng.uniform(0, 1, (2, shape[1] * geometry.groups, 8, 7)).astype(np.float32)
    correlation.see(image)
    return weight, 0, 1, correlation


@pytest.mark.parametrize("name", GEOMETRIES)
def test_pairs_add_up_to_128_at_most(name: str) -> None:
    geometry, shape = GEOMETRIES[name]
    weight, axis, summed, correlation = drawn(geometry, shape)
    partners = partners_of(weight, axis, geometry)
    assert partners is not None
    reach = pair_reach(weight, axis, geometry, partners)

    nearest = quantize_weight(weight, axis, 8, reach)
    compensated = correlation.quantized(weight, axis, 8, reach, partners)

    assert pair_sums(quantize_weight(weight, axis, 8).values, summed).max() > MOST
    for each in (nearest, compensated):
        assert pair_sums(each.values, summed).max() <= MOST
        assert np.abs(each.values).max() > 80
    assert np.abs(nearest.dequantized() - weight).max() <= nearest.steps.max() / 2 * 1.001


def test_a_depthwise_filter_has_no_pairs() -> None:
    assert (Geometry((3, 3), groups=8).partners(9) == 9).all()


@pytest.mark.parametrize(("step", "is_paired"), [(1.0, True), (1e-4, False)])
def test_pairs_are_taken_where_the_activation_has_more_noise(step: float, is_paired: bool) -> None:
    geometry, shape = GEOMETRIES["even channels"]
    weight, axis, summed, correlation = drawn(geometry, shape)

    chosen = best_pairs(correlation, weight, axis, geometry, step)

    assert (pair_sums(chosen.values, summed).max() <= MOST) == is_paired
