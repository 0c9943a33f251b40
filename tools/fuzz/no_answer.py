"""Nodes that the reference engine runs, although the specification has no result for their inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnx.inliner

from lite.ir.types import Array
from lite.tools.fuzz.evaluate import Rejected, all_values

_POOLINGS = ("AveragePool", "LpPool", "MaxPool")
_DOUBTFUL = ("Attention", "Concat", "DynamicQuantizeLinear", "Gather", "MaxUnpool", "ReduceMean", *_POOLINGS)


def has_no_answer(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> bool:
    """Whether ONNX Runtime runs a node for whose inputs the specification has no result, or another one.

    Version 1.32 leaves a part of the result as it is for a Concat of empty tensors with tensors of other
    sizes, and for an Attention with fewer keys than values or smaller ones than queries, and reads a part of
    a mask for other queries or more keys; the mean of no elements is 0.  A window that is larger than the
    image has a result where strides are larger than 1.  The scale of zeros alone is 0 by the formula of
    DynamicQuantizeLinear, and 1 in ONNX Runtime.  There, the indices of a MaxUnpool count in `output_shape`,
    not in the shape that follows from the windows.  A Gather of strings copies the first of each row.  A
    MaxPool whose maxima are quantised has the indices of quantised maxima.
    """
    model = onnx.inliner.inline_local_functions(model)
    if _has_quantised_maxima(model.graph.node):
        return True
    try:
        values = all_values(model, feeds)
    except Rejected:
        return False
    return any(
        is_undefined(node, [values[name] for name in node.input if name])
        for node in model.graph.node
        if node.op_type in _DOUBTFUL and not node.domain
    )


def _has_quantised_maxima(nodes: Sequence[onnx.NodeProto]) -> bool:
    read = {name for node in nodes if node.op_type == "QuantizeLinear" for name in node.input[:1]}
    return any(
        node.op_type == "MaxPool" and len(node.output) > 1 and bool(node.output[1]) and node.output[0] in read
        for node in nodes
    )


def is_undefined(node: onnx.NodeProto, arrays: Sequence[Array]) -> bool:
    """Whether the inputs of a node contradict each other, or have no mean, or no scale."""
    if node.op_type == "ReduceMean":
        return not arrays[0].size
    if node.op_type in _POOLINGS:
        return _exceeds(node, arrays[0].shape[2:])
    if node.op_type == "DynamicQuantizeLinear":
        return not arrays[0].any()
    if node.op_type == "Gather":
        return _takes_rows_of_strings(node, arrays[0])
    if node.op_type == "MaxUnpool":
        return len(arrays) > 2 and arrays[2].tolist()[2:] != _unpooled(node, arrays[0].shape[2:])
    if node.op_type == "Attention":
        return _attends_in_part(node, arrays)
    axis = next(attr.i for attr in node.attribute if attr.name == "axis")
    others = {tuple(np.delete(array.shape, axis)) for array in arrays}
    return len(others) > 1 and any(array.size == 0 for array in arrays)


def _attends_in_part(node: onnx.NodeProto, arrays: Sequence[Array]) -> bool:
    """Whether an Attention has values or queries unlike its keys, or a mask of other queries or more keys."""
    queries, keys, values = arrays[:3]
    if queries.ndim == keys.ndim == 4 and queries.shape[-1] != keys.shape[-1]:
        return True
    if keys.shape[0] != values.shape[0] or keys.shape[-2] != values.shape[-2]:
        return True
    _, _, _, mask, past, *_ = [*node.input, "", ""]
    if not mask:
        return False
    total = keys.shape[-2] + (arrays[4].shape[-2] if past else 0)
    return arrays[3].shape[-2] not in (1, queries.shape[-2]) or arrays[3].shape[-1] > total


def _takes_rows_of_strings(node: onnx.NodeProto, data: Array) -> bool:
    axis = next((attr.i for attr in node.attribute), 0)
    return data.dtype.kind in "OSUT" and math.prod(data.shape[axis % data.ndim + 1 :]) > 1


def _unpooled(node: onnx.NodeProto, sizes: Sequence[int]) -> list[int]:
    """The sizes that follow from the windows of a MaxUnpool without padding."""
    given = {attr.name: list(attr.ints) for attr in node.attribute if attr.ints}
    steps = given.get("strides", [1] * len(sizes))
    pairs = zip(sizes, steps, given["kernel_shape"], strict=True)
    return [(size - 1) * step + window for size, step, window in pairs]


def _exceeds(node: onnx.NodeProto, sizes: Sequence[int]) -> bool:
    """Whether the windows of a pooling are larger than the padded image."""
    axes = len(sizes)
    given = {attr.name: list(attr.ints) for attr in node.attribute if attr.ints}
    kernel, steps = given["kernel_shape"], given.get("dilations", [1] * axes)
    pads = given.get("pads", [0] * 2 * axes)
    padded = [size + before + after for size, before, after in zip(sizes, pads, pads[axes:], strict=False)]
    extents = [(size - 1) * step + 1 for size, step in zip(kernel, steps, strict=True)]
    return any(size < extent for size, extent in zip(padded, extents, strict=True))
