"""Limits of ONNX nodes on the HTP beyond their element types: each finds one, or returns None."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.emission.onnx.builder import OnnxNode
from lite.ir.types import Array, DType

Limit = Callable[[OnnxNode], str | None]


def _constant(node: OnnxNode, position: int) -> Array | None:
    tensor = node.inputs[position] if position < len(node.inputs) else None
    return None if tensor is None else tensor.array


def attribute_is(name: str, *allowed: object) -> Limit:
    """The value of an attribute is one of these; the first is the default."""

    def check(node: OnnxNode) -> str | None:
        value = node.attributes.get(name, allowed[0])
        value = value.decode() if isinstance(value, bytes) else value
        if value in allowed:
            return None
        return f"{name} is {value!r}; the HTP's {node.op_type} takes {' or '.join(map(repr, allowed))}"

    return check


def pad(node: OnnxNode) -> str | None:
    """Paddings of all axes, none below 0."""
    pads = _constant(node, 1)
    if pads is None:
        return "the paddings of Pad must be constant for the HTP"
    if pads.min(initial=0) < 0:
        return f"paddings are {pads.tolist()}; the HTP takes none below 0"
    if len(node.inputs) > 3 and node.inputs[3] is not None:
        return "the axes of Pad are given; the HTP takes paddings of all axes"
    return attribute_is("mode", "constant", "reflect")(node)


def indices(position: int) -> Limit:
    """Indices at this input, none below 0, and no reduction."""

    def check(node: OnnxNode) -> str | None:
        indices = _constant(node, position)
        if indices is not None and indices.min(initial=0) < 0:
            return f"an index is {indices.min()}; the HTP takes none below 0"
        return attribute_is("reduction", "none")(node)

    return check


def resize(node: OnnxNode) -> str | None:
    """At most two axes."""
    for position in (2, 3):
        sizes = _constant(node, position)
        if position == 2 and sizes is not None and (sizes % 1).any():
            return f"scales are {sizes.tolist()}; the HTP takes whole numbers"
        if sizes is not None and sizes.size > 4:
            return f"it resizes {sizes.size - 2} axes of an image; the HTP resizes 2"
    return None


def conv(node: OnnxNode) -> str | None:
    """No groups with both strides and dilations."""
    strides, dilations = (np.asarray(node.attributes.get(name, [1])) for name in ("strides", "dilations"))
    if node.attributes.get("group", 1) != 1 and strides.max() > 1 and dilations.max() > 1:
        return (
            f"groups with strides {strides.tolist()} and dilations {dilations.tolist()}; "
            "the HTP takes one of both above 1"
        )
    return None


def conv_transpose(node: OnnxNode) -> str | None:
    """No dilations."""
    dilations = np.asarray(node.attributes.get("dilations", [1]))
    if dilations.max() > 1:
        return f"dilations are {dilations.tolist()}; the HTP's transposed convolution takes 1"
    return None


_RECURRENT = {"direction", "hidden_size", "layout", "linear_before_reset"}


def recurrent(node: OnnxNode) -> str | None:
    """A layer without lengths of sequences and peepholes, with the usual activations."""
    if len(node.inputs) > 4 and node.inputs[4] is not None:
        return "it has sequences of several lengths; the HTP takes one"
    if len(node.inputs) > 7 and node.inputs[7] is not None:
        return "it has peepholes, which the HTP does not take"
    others = sorted(name for name, value in node.attributes.items() if name not in _RECURRENT and value)
    return f"it has {', '.join(others)}; the HTP's {node.op_type} takes the usual ones" if others else None


def expand(node: OnnxNode) -> str | None:
    """A shape of at least one dimension."""
    shape = _constant(node, 1)
    empty = shape is not None and not shape.size
    return "it expands to the shape []; the HTP takes 1 dimension or more" if empty else None


def cast(node: OnnxNode) -> str | None:
    """Only integers become int64."""
    source, result = node.inputs[0], node.outputs[0]
    if source is not None and not source.dtype.is_integer and result.dtype is DType.INT64:
        return f"the HTP does not cast {source.dtype} to int64; it takes int32"
    return None


def one_output(node: OnnxNode) -> str | None:
    """No indices of maxima."""
    return "the HTP's MaxPool returns no indices" if len(node.outputs) > 1 else None
