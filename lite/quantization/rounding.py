"""Compensated rounding: weights whose rounding errors cancel on the activations of the calibration data.

The weights of an output are rounded one after the other, and each error is made up for by the weights that
follow, as far as the activations correlate.  Source: E. Frantar et al., "GPTQ: Accurate post-training
quantization for generative pre-trained transformers", 2023.
"""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array
from lite.plugin.device.short_sums import MOST
from lite.quantization.geometry import Geometry
from lite.quantization.grid import QuantizedWeight, along, most_of, quantize_weight

ROWS = 1024
"""The most vectors of an activation that a run contributes."""

LARGEST = 4096
"""Weights with more elements for one output are rounded to the nearest integer: the matrix is too large."""

_BLOCK = 64
"""The number of weights of an output after which the errors are applied to all that follow."""

_DAMPING = 0.01
"""Added to the diagonal, as a fraction of its mean, so that the matrix can be inverted."""


class Correlation:
    """The sum of products of the elements that meet the weights of a layer: ``float64[groups, K, K]``."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._rng = np.random.default_rng(0)
        self.sums: Array | None = None
        self.rows = 0

    def see(self, array: Array) -> None:
        """Add an activation: ``float32[N, C, H, W]`` of a convolution, ``float32[..., K]`` of a product."""
        rows = self._geometry.rows(array, ROWS, self._rng)
        if rows.shape[2] > LARGEST:
            return
        products = np.matmul(rows.transpose(0, 2, 1), rows).astype(np.float64)
        self.rows += rows.shape[1]
        self.sums = products if self.sums is None else self.sums + products

    def quantized(
        self,
        weight: Array,
        axis: int,
        bits: int,
        reach: Array | None = None,
        partners: Array | None = None,
    ) -> QuantizedWeight:
        """The integers of a weight; those of `quantize_weight` if the weight or the data are unsuitable.

        `partners` are those of `Geometry.partners`, with which the magnitudes add up to `MOST` at most.
        """
        nearest = quantize_weight(weight, axis, bits, reach)
        matrices = self._geometry.matrices(weight, axis)
        if matrices is None or self.sums is None or self.sums.shape[::2] != matrices.shape[::2]:
            return nearest
        factors = _factors(self.sums)
        if factors is None:
            return nearest
        steps = np.broadcast_to(along(nearest.steps, axis, weight.ndim), weight.shape)
        step_matrices = self._geometry.matrices(steps, axis)
        assert step_matrices is not None
        integers = compensated(matrices, step_matrices[:, :, 0], factors, most_of(bits), partners)
        values = self._geometry.weight(integers, weight, axis)
        return QuantizedWeight(values, nearest.steps, axis, bits)

    def error(self, weight: Array, quantized: QuantizedWeight, axis: int) -> float | None:
        """The mean square error of the layer's result; None if the weight or the data are unsuitable."""
        exact = self._geometry.matrices(weight, axis)
        rounded = self._geometry.matrices(quantized.dequantized(), axis)
        if exact is None or rounded is None or self.sums is None or self.sums.shape[::2] != exact.shape[::2]:
            return None
        errors = exact.astype(np.float64) - rounded
        return float((np.matmul(errors, self.sums) * errors).sum() / (self.rows * errors[..., 0].size))


def _factors(sums: Array) -> Array | None:
    """The upper triangular U with Uᵀ · U = the inverse of each matrix; None if one has no inverse."""
    size = sums.shape[1]
    diagonal = np.einsum("gkk->gk", sums)
    damping = np.maximum(_DAMPING * diagonal.mean(axis=1), 1e-12)
    try:
        inverse = np.linalg.inv(sums + damping[:, None, None] * np.eye(size))
        lower: Array = np.linalg.cholesky((inverse + inverse.transpose(0, 2, 1)) / 2)
    except np.linalg.LinAlgError:
        return None
    return lower.transpose(0, 2, 1)


def compensated(
    matrices: Array, steps: Array, factors: Array, most: int, partners: Array | None = None
) -> Array:
    """Integers ``int8[groups, outputs, K]`` of weights with a step for each output.

    The magnitudes of an integer and of each of its partners add up to `MOST` at most.
    """
    left = matrices.astype(np.float64)
    groups, outputs, size = matrices.shape
    # The last column stands for no partner.
    integers = np.zeros((groups, outputs, size + 1), np.int16)
    limit: Array | int = most
    wide = steps.astype(np.float64)
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        errors = np.zeros((groups, outputs, stop - start))
        for k in range(start, stop):
            if partners is not None:
                limit = np.minimum(most, MOST - np.abs(integers[:, :, partners[k]]).max(axis=2))
            rounded = np.clip(np.rint(left[:, :, k] / wide), -limit, limit)
            integers[:, :, k] = rounded
            error = (left[:, :, k] - rounded * wide) / factors[:, k, k, None]
            left[:, :, k + 1 : stop] -= error[:, :, None] * factors[:, None, k, k + 1 : stop]
            errors[:, :, k - start] = error
        left[:, :, stop:] -= np.matmul(errors, factors[:, start:stop, stop:])
    return integers[:, :, :size].astype(np.int8)
