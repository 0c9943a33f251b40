"""Equalisation across layers: channels of an activation get like ranges, and the next weights make up for it.

Channel n of an activation is divided by a factor, in the weights and the bias of the layer that computes it
or in its normalisation, and the weights that read the channel are multiplied by it: the model computes the
same.  The factor is √(greatest activation / greatest weight).  Between both
layers are ops that commute with positive factors.  Sources: M. Nagel et al., "Data-free quantization through
weight equalization and bias correction", 2019; G. Xiao et al., "SmoothQuant", 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.ops.program_graph import program_graph
from lite.quantization.calibration import Advance, Watch
from lite.quantization.data import CalibrationData
from lite.quantization.grid import along
from lite.quantization.layers import Layer
from lite.quantization.offsets import Slice, added, nodes_of, only_reader, vector
from lite.quantization.recipe import FloatModel
from lite.session.predictor import Predictor

_COMMUTE = frozenset({"relu", "leaky_relu", "pool2d", "dropout", "assign", "flatten2"})
"""Ops of one value that commute with positive factors of channels, where the number of channels stays."""

_LIMIT = 1e3
"""The greatest factor, and the inverse of the least."""


@dataclass(frozen=True)
class Link:
    """An activation whose channels, along `axis`, can be divided by factors.

    `before` are the constants that are divided, `after` the weights that are multiplied.
    """

    activation: str
    axis: int
    channels: int
    before: tuple[Slice, ...]
    after: tuple[Slice, ...]


class Ranges:
    """The greatest magnitude of each channel of an activation."""

    def __init__(self, axis: int) -> None:
        self._axis = axis
        self.most: Array | None = None

    def see(self, array: Array) -> None:
        """Widen the ranges."""
        axis = self._axis % array.ndim
        most = np.abs(array).max(axis=tuple(n for n in range(array.ndim) if n != axis))
        self.most = most if self.most is None else np.maximum(self.most, most)


def find_links(graph: Graph, layers: Sequence[Layer]) -> list[Link]:
    """The activations of layers that can be equalised; each is read by layers only."""
    nodes = nodes_of(graph, layers)
    found: dict[Value, list[tuple[Layer, Node]]] = {}
    for layer in layers:
        node = nodes.get(layer.name)
        if node is not None and len(layer.activations) == 1:
            slot = next(iter(node.inputs))
            found.setdefault(node.input(slot), []).append((layer, node))
    links = []
    for value, readers in found.items():
        if value.result_count or len(value.users) != len(readers):
            continue
        after = [_rows(layer, node) for layer, node in readers]
        kinds = {(each[1], each[2]) for each in after if each is not None}
        if None in after or len(kinds) != 1:
            continue
        channels, axis = kinds.pop()
        before = _before(value, channels, axis)
        if before:
            slices = tuple(each[0] for each in after if each is not None)
            links.append(Link(value.name, axis, channels, before, slices))
    return links


def equalized(source: FloatModel, links: Sequence[Link], ranges: Mapping[str, Array]) -> dict[str, Array]:
    """The new constants of a model by name; `ranges` are the greatest magnitudes by activation."""
    arrays: dict[str, Array] = {}

    def current(name: str) -> Array:
        return arrays[name] if name in arrays else source.weight(name)

    for link in links:
        reach = ranges.get(link.activation)
        names = [each.name for each in (*link.before, *link.after)]
        if reach is None or reach.size != link.channels or not all(map(source.has_constant, names)):
            continue
        weights = np.max([_most(current(each.name), each.axis) for each in link.after], axis=0)
        factors = np.sqrt(np.maximum(reach, 1e-8) / np.maximum(weights, 1e-8))
        factors = np.where((reach > 0) & (weights > 0), np.clip(factors, 1 / _LIMIT, _LIMIT), 1.0)
        factors /= np.exp(np.log(factors).mean())
        for sign, slices in ((-1, link.before), (1, link.after)):
            for each in slices:
                array = current(each.name)
                scale = along(factors**sign, each.axis, array.ndim)
                arrays[each.name] = (array * scale).astype(array.dtype)
    return arrays


def _most(array: Array, axis: int) -> Array:
    most: Array = np.abs(array).max(axis=tuple(n for n in range(array.ndim) if n != axis), initial=0.0)
    return most


def _rows(layer: Layer, node: Node) -> tuple[Slice, int, int] | None:
    """The weight of a layer by its input channels, their number and their axis in the activation; or None."""
    weight = node.graph.constants[layer.weight or ""]
    shape: tuple[int, ...] = () if weight.data is None else weight.data.shape
    if node.op in ("conv2d", "depthwise_conv2d") and len(shape) == 4:
        if layer.is_depthwise:
            is_plain = shape[0] == node.attrs.get("groups")
            return (Slice(weight.name, 0), shape[0], 1) if is_plain else None
        return (Slice(weight.name, 1), shape[1], 1) if node.attrs.get("groups", 1) == 1 else None
    if node.op not in ("matmul_v2", "mul", "matmul", "fc") or len(shape) != 2 or layer.axis not in (0, 1):
        return None
    if any(node.attrs.get(name) for name in ("trans_x", "transpose_X")):
        return None
    x = node.input(next(iter(node.inputs)))
    is_last = x.shape is not None and x.shape[-1] == shape[1 - layer.axis]
    return (Slice(weight.name, 1 - layer.axis), shape[1 - layer.axis], -1) if is_last else None


def _before(value: Value, channels: int, axis: int) -> tuple[Slice, ...]:
    """The constants that divide the channels of a value along `axis`; empty if there are none."""
    slices: list[Slice] = []
    while (node := value.producer) is not None:
        if node.op == "elementwise_add" and not slices:
            bias = added(node, channels, axis)
            if bias is None or only_reader(node.input("X")) is None:
                return ()
            slices.append(bias)
            value = node.input("X")
        elif node.op == ("batch_norm" if axis == 1 else "layer_norm"):
            if slices or not _has_vectors(node, channels):
                return ()
            return tuple(Slice(node.input(slot).name, 0) for slot in ("Scale", "Bias"))
        elif node.op in (("conv2d", "depthwise_conv2d") if axis == 1 else ("matmul_v2", "mul", "fc")):
            return _of_layer(node, channels, slices)
        elif node.op in _COMMUTE and not slices and _keeps_channels(node, channels, axis):
            value = node.input("X")
            if only_reader(value) is None:
                return ()
            # The elements of a flattened image with one pixel are its channels.
            axis = 1 if node.op == "flatten2" else axis
        else:
            return ()
    return ()


def _has_vectors(node: Node, channels: int) -> bool:
    slots = [node.inputs.get(slot, ()) for slot in ("Scale", "Bias")]
    return all(len(values) == 1 and vector(values[0], channels) is not None for values in slots)


def _keeps_channels(node: Node, channels: int, axis: int) -> bool:
    """Whether the channels lie along `axis` of the operand, too; along axis 1 before a `flatten2`."""
    shape = node.input("X").shape
    if shape is None or node.op == "pool2d":
        return shape is not None and axis == 1
    if node.op == "flatten2":
        return len(shape) > 1 and shape[1] == channels and all(size == 1 for size in shape[2:])
    return shape[axis] == channels


def _of_layer(node: Node, channels: int, slices: Sequence[Slice]) -> tuple[Slice, ...]:
    slot = "Filter" if "conv" in node.op else "W" if node.op == "fc" else "Y"
    weight, biases = node.input(slot), node.inputs.get("Bias", ())
    is_known = weight.data is not None and only_reader(weight) is not None
    if not is_known or weight.data is None or any(vector(each, channels) is None for each in biases):
        return ()
    is_transposed = any(node.attrs.get(name) for name in ("trans_y", "transpose_Y"))
    axis = 0 if slot == "Filter" or is_transposed else weight.data.ndim - 1
    if weight.data.shape[axis] != channels or (slot != "Filter" and weight.data.ndim != 2):
        return ()
    return (Slice(weight.name, axis), *slices, *(Slice(each.name, 0) for each in biases))


def equalized_model(
    source: FloatModel, layers: Sequence[Layer], predictor: Predictor, data: CalibrationData, advance: Advance
) -> FloatModel:
    """The model after equalisation; `predictor` runs it on the data first."""
    links = find_links(program_graph(source.program), layers)
    if not links:
        return source
    ranges = {link.activation: Ranges(link.axis) for link in links}
    Watch({name: [each.see] for name, each in ranges.items()}).run(predictor, data, advance)
    reach = {name: each.most for name, each in ranges.items() if each.most is not None}
    arrays = equalized(source, links, reach)
    return source.with_constants(arrays) if arrays else source
