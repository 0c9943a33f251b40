"""Weights whose products fit 16 bits in pairs, so that sums of processors without VNNI never saturate.

`lite.plugin.device.short_sums` describes these processors.  The step of an output is the least with which the
magnitudes of the weights of each pair add up to 127 steps; rounding adds one step at most.  Such steps are
greater; a layer gets them where the noise of its result hardly grows.
"""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array
from lite.quantization.geometry import Geometry
from lite.quantization.grid import QuantizedWeight
from lite.quantization.rounding import Correlation

TOLERANCE = 0.1
"""How much greater the noise of a layer's result may be, from its activation and its weight together."""


def best_pairs(
    correlation: Correlation, weight: Array, axis: int, geometry: Geometry | None, step: float
) -> QuantizedWeight:
    """int8 weights in pairs, or those of the whole range if the former add too much noise.

    `step` is that of the activation, whose rounding errors are uniform.
    """
    whole = correlation.quantized(weight, axis, 8)
    partners = partners_of(weight, axis, geometry)
    if partners is None:
        return whole
    paired = correlation.quantized(weight, axis, 8, pair_reach(weight, axis, geometry, partners), partners)
    errors = [correlation.error(weight, each, axis) for each in (whole, paired)]
    if errors[0] is None or errors[1] is None:
        return whole
    of_activation = step**2 / 12 * float(np.square(weight, dtype=np.float64).sum()) / paired.steps.size
    return paired if errors[1] <= errors[0] + TOLERANCE * (errors[0] + of_activation) else whole


def partners_of(weight: Array, axis: int, geometry: Geometry | None) -> Array | None:
    """`Geometry.partners` of a weight with a step for each output or, with axis -1, for all of it; or None.

    None where the geometry does not say which weights form pairs.
    """
    matrices = _matrices(weight, axis, geometry)
    return None if matrices is None or geometry is None else geometry.partners(matrices.shape[2])


def pair_reach(weight: Array, axis: int, geometry: Geometry | None, partners: Array) -> Array | None:
    """The greatest sum of the magnitudes of a pair, for each output or, with axis -1, for all of them."""
    matrices = _matrices(weight, axis, geometry)
    if matrices is None:
        return None
    sizes = np.abs(matrices).astype(np.float64)
    padded = np.concatenate([sizes, np.zeros((*sizes.shape[:2], 1))], 2)
    sums = sizes + np.maximum(padded[:, :, partners[:, 0]], padded[:, :, partners[:, 1]])
    reach: Array = sums.max(axis=2, initial=0.0).reshape(-1)
    return reach if axis >= 0 else np.array([reach.max(initial=0.0)])


def _matrices(weight: Array, axis: int, geometry: Geometry | None) -> Array | None:
    if geometry is None:
        return None
    return geometry.matrices(weight, axis if axis >= 0 else int(geometry.kernel is None))
