"""Bugs that vendors make, planted into the device onnxruntime: nodes differ from those of the bridges.

Each changes the nodes of a region after the conversion, as a wrong translation or a wrong vendor kernel does;
sizes of results mostly stay right, so that only values are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from lite.bridges.onnxruntime import device as module
from lite.bridges.onnxruntime.device import OnnxRuntime
from lite.emission.onnx.builder import Builder, OnnxNode, Tensor
from lite.emission.onnx.model import make_model
from lite.emission.onnx.session import Session
from lite.ir.types import Array

Change = Callable[[OnnxNode], OnnxNode]


@dataclass(frozen=True)
class OnnxBug:
    """A bug, the op or the section of the kit that has to show it, and how to plant it."""

    name: str
    op: str
    plant: Callable[[], AbstractContextManager[Any]]
    section: str = "ops"


def _changed(op_type: str, change: Change) -> AbstractContextManager[Any]:
    def changed(builder: Builder) -> Any:
        builder.nodes = [change(node) if node.op_type == op_type else node for node in builder.nodes]
        return make_model(builder)

    return mock.patch.object(module, "make_model", changed)


def _method(cls: type[Any], name: str, new: Callable[..., Any]) -> AbstractContextManager[Any]:
    return mock.patch.object(cls, name, new)


def _bug(name: str, op: str, op_type: str, change: Change) -> OnnxBug:
    return OnnxBug(name, op, lambda: _changed(op_type, change))


def _attribute(key: str, change: Callable[[Any], Any]) -> Change:
    """Change an attribute of the nodes that have it."""
    return lambda node: (
        replace(node, attributes={**node.attributes, key: change(node.attributes[key])})
        if key in node.attributes
        else node
    )


def _set(key: str, value: Any) -> Change:
    return lambda node: replace(node, attributes={**node.attributes, key: value})


def _without(index: int) -> Change:
    """Leave out an optional input."""
    return lambda node: replace(node, inputs=node.inputs[:index])


def _constant(index: int, change: Callable[[Array], Array]) -> Change:
    """Change the elements of an input where it is a constant."""

    def changed(node: OnnxNode) -> OnnxNode:
        tensor = node.inputs[index] if index < len(node.inputs) else None
        if tensor is None or tensor.array is None:
            return node
        array = np.ascontiguousarray(change(tensor.array)).astype(tensor.array.dtype)
        other = Tensor(f"{tensor.name}_wrong", tensor.dtype, array)
        return replace(node, inputs=(*node.inputs[:index], other, *node.inputs[index + 1 :]))

    return changed


def _kind(op_type: str) -> Change:
    return lambda node: replace(node, op_type=op_type, attributes={})


def _reversed_inputs(node: OnnxNode) -> OnnxNode:
    return replace(node, inputs=node.inputs[::-1])


def _reversed_outputs(node: OnnxNode) -> OnnxNode:
    return replace(node, outputs=node.outputs[::-1])


def _sides(pads: Sequence[int]) -> list[int]:
    half = len(pads) // 2
    return [*pads[half:], *pads[:half]]


def _inverse(perm: Sequence[int]) -> list[int]:
    return [list(perm).index(axis) for axis in range(len(perm))]


def _ones(numbers: Sequence[int]) -> list[int]:
    return [1] * len(numbers)


def _other_kind(first: str, second: str) -> Change:
    """One kind of node becomes the other, with the attributes that both have."""
    keys = ("kernel_shape", "pads", "strides", "ceil_mode", "axes", "keepdims")
    return lambda node: replace(
        node,
        op_type=second if node.op_type == first else first,
        attributes={key: value for key, value in node.attributes.items() if key in keys},
    )


def _overwritten() -> AbstractContextManager[Any]:
    """A run returns the arrays of the run before."""
    right = Session.run
    kept: dict[Any, Array] = {}

    def run(self: Session, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        results = right(self, inputs, [None] * len(outputs))
        for number, each in enumerate(results):
            kept.setdefault((number, each.shape, each.dtype), np.empty_like(each))[...] = each
        return [kept[number, each.shape, each.dtype] for number, each in enumerate(results)]

    return _method(Session, "run", run)


def _writes_inputs() -> AbstractContextManager[Any]:
    right = Session.run

    def run(self: Session, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        results = right(self, inputs, outputs)
        for each in inputs:
            each.setflags(write=True)
            each[...] = 0
        return results

    return _method(Session, "run", run)


def _loads_zeros() -> AbstractContextManager[Any]:
    """A stored model has lost its weights."""
    right = OnnxRuntime.load

    def load(self: OnnxRuntime, blob: bytes) -> Any:
        model = right(self, blob)
        run = model.run
        model.run = lambda inputs, outputs: [each * 0 for each in run(inputs, outputs)]  # type: ignore[method-assign]
        return model

    return _method(OnnxRuntime, "load", load)


ONNX_BUGS = (
    _bug("convolution without bias", "conv2d", "Conv", _without(2)),
    _bug("convolution padded on the wrong sides", "conv2d", "Conv", _attribute("pads", _sides)),
    _bug("convolution without dilation", "conv2d", "Conv", _attribute("dilations", _ones)),
    _bug("convolution without stride", "conv2d", "Conv", _attribute("strides", _ones)),
    _bug("convolution with mirrored filter", "conv2d", "Conv", _constant(1, lambda w: w[..., ::-1, ::-1])),
    _bug("convolution with swapped filters", "conv2d", "Conv", _constant(1, lambda w: w[::-1])),
    _bug("convolution with shifted bias", "conv2d", "Conv", _constant(2, lambda b: np.roll(b, 1))),
    _bug(
        "transposed convolution padded on the wrong sides",
        "conv2d_transpose",
        "ConvTranspose",
        _attribute("pads", _sides),
    ),
    _bug(
        "transposed convolution with mirrored filter",
        "conv2d_transpose",
        "ConvTranspose",
        _constant(1, lambda w: w[..., ::-1, ::-1]),
    ),
    _bug(
        "transposed convolution with swapped groups",
        "conv2d_transpose",
        "ConvTranspose",
        _constant(1, lambda w: np.roll(w, 1, 0)),
    ),
    _bug(
        "transposed convolution without stride",
        "conv2d_transpose",
        "ConvTranspose",
        _attribute("strides", _ones),
    ),
    _bug(
        "average that counts the padding",
        "pool2d",
        "AveragePool",
        _attribute("count_include_pad", lambda n: 1 - n),
    ),
    _bug("average padded on the wrong sides", "pool2d", "AveragePool", _attribute("pads", _sides)),
    _bug("maximum padded on the wrong sides", "pool2d", "MaxPool", _attribute("pads", _sides)),
    _bug("average as maximum", "pool2d", "AveragePool", _other_kind("AveragePool", "MaxPool")),
    _bug("global average as maximum", "pool2d", "GlobalAveragePool", _kind("GlobalMaxPool")),
    _bug("adaptive average with other windows", "pool2d", "MatMul", _constant(1, lambda m: m[..., ::-1])),
    _bug("concat in the wrong order", "concat", "Concat", _reversed_inputs),
    _bug("concat along the first axis", "concat", "Concat", _set("axis", 0)),
    _bug("split in the wrong order", "split", "Split", _reversed_outputs),
    _bug("transpose by the inverse permutation", "transpose2", "Transpose", _attribute("perm", _inverse)),
    _bug("slice without steps", "strided_slice", "Slice", _constant(4, np.ones_like)),
    _bug("slice from the start", "slice", "Slice", _constant(1, np.zeros_like)),
    _bug("padding with zeros only", "pad_nd", "Pad", _without(2)),
    _bug(
        "reflection as repetition",
        "pad_nd",
        "Pad",
        _attribute("mode", lambda m: "edge" if m == "reflect" else m),
    ),
    _bug("softmax over the last axis", "softmax", "Softmax", _set("axis", -1)),
    _bug("layer norm without epsilon", "layer_norm", "LayerNormalization", _set("epsilon", 0.0)),
    _bug("layer norm without beta", "layer_norm", "LayerNormalization", _without(2)),
    _bug("batch norm without epsilon", "batch_norm", "BatchNormalization", _set("epsilon", 0.0)),
    _bug("mean as sum", "reduce_mean", "ReduceMean", lambda node: replace(node, op_type="ReduceSum")),
    _bug(
        "resize with other corners",
        "bilinear_interp_v2",
        "Resize",
        _set("coordinate_transformation_mode", "asymmetric"),
    ),
    _bug("nearest resize that rounds up", "nearest_interp_v2", "Resize", _set("nearest_mode", "ceil")),
    _bug("leaky relu with a fixed slope", "leaky_relu", "LeakyRelu", _set("alpha", 0.01)),
    _bug("relu6 without its upper limit", "relu6", "Clip", _without(2)),
    _bug("hard sigmoid with a fixed slope", "hard_sigmoid", "HardSigmoid", _set("alpha", 0.25)),
    _bug("division with swapped operands", "elementwise_div", "Div", _reversed_inputs),
    _bug("gather along the first axis", "gather", "Gather", _set("axis", 0)),
    _bug("sum that excludes the element", "cumsum", "CumSum", _set("exclusive", 1)),
    OnnxBug("a stored model with other weights", "", _loads_zeros, "cache"),
    OnnxBug("a result that the next run overwrites", "", _overwritten, "runs"),
    OnnxBug("a run that writes to its inputs", "", _writes_inputs, "runs"),
    OnnxBug("a constant version", "", lambda: _method(OnnxRuntime, "version", lambda _: "1"), "device"),
)
