"""Paddle's ``fake_*`` quantisation → quantize_linear and dequantize_linear, and checks of their scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.ops import get_schema
from lite.passes.cleanup.spelling import spelling

_PAIRED = (
    "fake_quantize_dequantize_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max",
    "fake_channel_wise_quantize_dequantize_abs_max",
)
_PRODUCTS = ("conv2d", "conv2d_transpose", "depthwise_conv2d", "fc", "matmul", "matmul_v2", "mul")
_OUTPUT = {"quantize_linear": "Y", "dequantize_linear": "Y", "moving_average_abs_max_scale": "Out"}


@spelling(
    "fake_quantize_abs_max",
    "fake_quantize_range_abs_max",
    "fake_quantize_moving_average_abs_max",
    "fake_channel_wise_quantize_abs_max",
    *_PAIRED,
)
def fake_quantize(graph: Graph, node: Node) -> bool:
    """With `InScale`, that is the scale; else the greatest magnitude of X, which nodes compute::

    %y, %s = fake_quantize_dequantize_abs_max(X=%x)   ->   %s = reduce_max(X=abs(%x))
                                                           %q = quantize_linear(X=%x, Scale=%s)
                                                           %y = dequantize_linear(X=%q, Scale=%s)
    """
    attrs = get_schema(node.op).attr_values(node.attrs)
    x, axis = node.input("X"), attrs.get("quant_axis", -1)
    given = node.optional_input("InScale")
    scale = _measured(graph, node, x, axis) if given is None else given
    for slot in [slot for slot in node.outputs if slot != "Out"]:
        graph.replace_uses(node.output(slot), scale)
        node.drop_output(slot)
    linear: dict[str, AttrValue] = {
        "bit_length": attrs["bit_length"],
        "quant_axis": axis,
        "round_type": attrs["round_type"],
    }
    quantized = x
    if node.op in _PAIRED:
        quantized = _before(graph, node, "quantize_linear", {"X": [x], "Scale": [scale]}, linear, "Y")
    _become(node, "dequantize_linear" if node.op in _PAIRED else "quantize_linear", quantized, scale, linear)
    return True


@spelling("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")
def check_scales(_: Graph, node: Node) -> bool:
    """Nothing to rewrite; scales and weights that are not valid are refused."""
    _check_integers(node)
    for slot in ("Scale", "Scales"):
        for scale in node.inputs.get(slot, ()):
            _check_scale(node, scale, zero=True)
    return False


@spelling("quantize_linear", "dequantize_linear", "moving_average_abs_max_scale")
def observer(_: Graph, node: Node) -> bool:
    """Ops that only observe their input become assign; unused slots are removed, and scales are checked."""
    observes = node.op == "moving_average_abs_max_scale" or bool(node.attrs.get("only_observer", False))
    scale = node.optional_input("Scale")
    if not observes and node.op == "dequantize_linear":
        _check_integers(node)
    if not observes and scale is not None:
        _check_scale(node, scale, zero=node.op == "dequantize_linear")
    kept = {"X"} if observes else {"X", "Scale"}
    extra_inputs = [slot for slot in node.inputs if slot not in kept]
    extra_outputs = [slot for slot in node.outputs if slot != _OUTPUT[node.op]]
    if not (observes or extra_inputs or extra_outputs):
        return False
    for slot in extra_inputs:
        node.set_input(slot, ())
    for slot in extra_outputs:
        if any(value.is_used for value in node.outputs[slot]):
            raise GraphError(
                f"{node!r}: output {slot} is a result of training; a model for inference cannot use it"
            )
        node.drop_output(slot)
    if observes:
        node.outputs = {"Out": [node.output(_OUTPUT[node.op])]}
        node.op, node.attrs = "assign", {}
    return True


def _measured(graph: Graph, node: Node, x: Value, axis: AttrValue) -> Value:
    """The greatest magnitude of X, of each slice along `axis` unless it is -1, as a tensor of rank 1."""
    magnitude = _before(graph, node, "abs", {"X": [x]}, {}, "Out")
    if axis == -1:
        attrs: dict[str, AttrValue] = {"reduce_all": True, "keep_dim": False, "dim": [0]}
        greatest = _before(graph, node, "reduce_max", {"X": [magnitude]}, attrs, "Out")
        return _before(graph, node, "reshape2", {"X": [greatest]}, {"shape": [1]}, "Out")
    if x.shape is None:
        raise GraphError(f"{node!r}: X: expected a value of known rank, which a scale for each channel needs")
    others = [n for n in range(len(x.shape)) if n != axis]
    if not others:
        return magnitude
    attrs = {"reduce_all": False, "keep_dim": False, "dim": others}
    return _before(graph, node, "reduce_max", {"X": [magnitude]}, attrs, "Out")


def _before(
    graph: Graph,
    node: Node,
    op: str,
    inputs: Mapping[str, Sequence[Value]],
    attrs: Mapping[str, AttrValue],
    slot: str,
) -> Value:
    """A new node before `node`; returns its output in `slot`."""
    source = next(iter(inputs.values()))[0]
    value = graph.new_value(graph.unique_name(f"{source.name}_{op}"))
    graph.add_node(op, inputs, {slot: [value]}, dict(attrs), before=node)
    return value


def _become(node: Node, op: str, x: Value, scale: Value, attrs: dict[str, AttrValue]) -> None:
    out = node.output("Out")
    for slot in list(node.inputs):
        node.set_input(slot, ())
    node.outputs = {"Y": [out]}
    node.op, node.attrs = op, attrs
    node.set_input("X", [x])
    node.set_input("Scale", [scale])


def _check_integers(node: Node) -> None:
    """Raise `GraphError` where weights that a node dequantises, or whose product it does, are no integers.

    Old models store the integers of weights as floating point numbers.
    """
    x = node.input("X")
    weights = [x]
    if x.producer is not None and x.producer.op in _PRODUCTS:
        weights = [value for slot in ("Filter", "W", "Y") for value in x.producer.inputs.get(slot, ())]
    for value in weights:
        if value.data is None or value.data.dtype.kind != "f":
            continue
        numbers = value.data.reshape(-1)
        wrong = numbers[~np.isfinite(numbers) | (numbers != np.rint(numbers))]
        if wrong.size:
            raise GraphError(
                f"{node!r}: weights {value.name!r}: expected integers, which the op dequantises, got "
                f"{wrong[0]} ({wrong.size} of {numbers.size} are no integers); quantise the model again"
            )


def _check_scale(node: Node, scale: Value, *, zero: bool) -> None:
    """Raise `GraphError` where a constant scale has numbers that no scale can be."""
    if scale.data is None:
        return
    least = scale.data < 0 if zero else scale.data <= 0
    bad = scale.data[~np.isfinite(scale.data) | least]
    if bad.size:
        expected = "numbers of 0 or more" if zero else "positive numbers"
        raise GraphError(
            f"{node!r}: scale {scale.name!r}: expected {expected}, got {bad.reshape(-1)[0]} "
            f"({bad.size} of {scale.data.size} are wrong); quantise the model again"
        )
