"""Bias correction: quantised layers whose results have the means of the float ones on the calibration data.

Rounding moves the mean of a layer's result where the rounded weights or activations have other means.  The
difference of the means is added to the layer's bias, or subtracted from the mean of its batch_norm.  Source:
M. Nagel et al., "Data-free quantization through weight equalization and bias correction", 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lite.ir.types import Array
from lite.ops.program_graph import program_graph
from lite.quantization.calibration import Advance, Watch
from lite.quantization.data import CalibrationData
from lite.quantization.geometry import Geometry
from lite.quantization.grid import Grid, QuantizedWeight
from lite.quantization.layers import Layer
from lite.quantization.offsets import nodes_of, offset_of
from lite.quantization.recipe import FloatModel, Recipe
from lite.quantization.rounding import ROWS
from lite.session.predictor import Predictor


class Means:
    """The means of the elements that meet the weights of a layer, before and after quantisation."""

    def __init__(self, geometry: Geometry, grid: Grid) -> None:
        self._geometry = geometry
        self._grid = grid
        self._rng = np.random.default_rng(0)
        self._count = 0
        self._exact: Array | None = None
        self._rounded: Array | None = None

    def see(self, array: Array) -> None:
        """Add an activation, as `Correlation.see`."""
        rows = self._geometry.rows(array, ROWS, self._rng)
        exact, rounded = (each.sum(1, dtype=np.float64) for each in (rows, self._grid.nearest(rows)))
        self._count += rows.shape[1]
        self._exact = exact if self._exact is None else self._exact + exact
        self._rounded = rounded if self._rounded is None else self._rounded + rounded

    def shift(self, weight: Array, rounded: QuantizedWeight, axis: int) -> Array | None:
        """What the means of the quantised result lack: ``float64[outputs]``; None without data that fit."""
        matrices = self._geometry.matrices(weight, axis)
        others = self._geometry.matrices(rounded.dequantized(), axis)
        if matrices is None or others is None or self._exact is None or self._rounded is None:
            return None
        if matrices.shape[::2] != self._exact.shape:
            return None
        exact = np.einsum("gok,gk->go", matrices.astype(np.float64), self._exact)
        got = np.einsum("gok,gk->go", others.astype(np.float64), self._rounded)
        shift: Array = ((exact - got) / self._count).reshape(-1)
        return shift


def corrected_biases(
    source: FloatModel, means: Mapping[Layer, Means], rounded: Mapping[str, QuantizedWeight]
) -> dict[str, Array]:
    """The new constants by name, for the layers that have a bias or a batch_norm of their own."""
    graph = program_graph(source.program)
    nodes = nodes_of(graph, list(means))
    biases: dict[str, Array] = {}
    for layer, mean in means.items():
        node = nodes.get(layer.name)
        if node is None or layer.weight is None or layer.name not in rounded:
            continue
        shift = mean.shift(source.weight(layer.weight), rounded[layer.name], layer.axis)
        offset = None if shift is None else offset_of(node, shift.size)
        if shift is None or offset is None or not source.has_constant(offset.name):
            continue
        bias = source.weight(offset.name)
        biases[offset.name] = (bias + offset.sign * shift.reshape(bias.shape)).astype(bias.dtype)
    return biases


def corrected_model(
    source: FloatModel,
    layers: Sequence[Layer],
    recipe: Recipe,
    predictor: Predictor,
    data: CalibrationData,
    advance: Advance,
) -> FloatModel:
    """The model with corrected biases; `predictor` runs the float model on the data once more."""
    means = {
        layer: Means(layer.geometry, recipe.grids[layer.activations[0]])
        for layer in layers
        if layer.weight and layer.geometry and layer.name in recipe.rounded
    }
    listeners: dict[str, list[Callable[[Array], None]]] = {}
    for layer, mean in means.items():
        listeners.setdefault(layer.activations[0], []).append(mean.see)
    if not means:
        return source
    Watch(listeners).run(predictor, data, advance)
    biases = corrected_biases(source, means, recipe.rounded)
    return source.with_constants(biases) if biases else source
