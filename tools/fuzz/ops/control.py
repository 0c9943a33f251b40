"""Control flow with captured values, sequences and optionals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from lite.ir.types import Array
from lite.tools.fuzz.draw import ROWS, Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected, Values, element_type, initializer
from lite.tools.fuzz.ops.elementwise import broadcastable

_INSIDE = [
    "Relu",
    "Sigmoid",
    "Tanh",
    "Add",
    "Mul",
    "Sub",
    "conv",
    "batch_norm",
    "matmul",
    "transpose",
    "reshape",
    "concat",
    "slice_",
    "softmax",
    "gather",
    "unsqueeze",
    "squeeze",
    "ReduceSum",
    "ReduceMean",
    "clip",
    "where",
    "expand",
    "shape_chain",
    "pool",
    "HardSwish",
    "Gelu",
    "resize",
    "layer_norm",
]


def inner_draw(d: Draw, name: str) -> Draw:
    """The draw of a sub-graph of the next node."""
    return Draw(d.random, d.opset, outer=d, prefix=f"{d.prefix}{name}{len(d.nodes)}_")


def fill(inner: Draw, count: int) -> None:
    """Draw nodes of a sub-graph."""
    for _ in range(count):
        try:
            ROWS[inner.pick(_INSIDE)][0](inner)
        except Rejected:
            continue


def enter(inner: Draw, name: str, value: Values) -> Value:
    """A value that the node gives its sub-graph."""
    inner.values.append(Value(name, value))
    return inner.values[-1]


def sub_graph(
    inner: Draw, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[Value]
) -> onnx.GraphProto:
    """The sub-graph that was drawn; its outputs are tensors of a known rank."""
    constants = [initializer(name, array) for name, array in inner.constants.items()]
    infos = [
        helper.make_tensor_value_info(value.name, element_type(value.array), [None] * value.rank)
        for value in outputs
    ]
    return helper.make_graph(inner.nodes, "inner", list(inputs), infos, constants)


def own(inner: Draw, value: Value) -> Value:
    """The value, if a node of this sub-graph made it; else a copy by an Identity node."""
    if any(value.name in node.output for node in inner.nodes):
        return value
    return inner.node("Identity", [value])


@row(0.35)
def branch(d: Draw) -> Value:
    """If with conditions that are inputs, constants or computed; branches capture outer values."""
    kind = d.integer(0, 2)
    if kind == 0:
        condition = d.fresh(np.asarray(d.chance(0.5)), constant=0)
    elif kind == 1:
        condition = d.constant(np.asarray(d.chance(0.5)))
    else:
        x = d.value()
        size = d.node("Size", [x])
        condition = d.node("Greater", [size, d.constant(np.asarray(d.integer(0, 20), "int64"))])
    graphs, count = [], d.integer(1, 2)
    for name in ("t", "e"):
        inner = inner_draw(d, name)
        fill(inner, d.integer(1, 3))
        outputs = []
        for _ in range(count):
            found = inner.find()
            if found is None:
                raise Rejected("no value for a branch")
            outputs.append(inner.node("Identity", [found]) if d.chance(0.2) else own(inner, found))
        if len({value.name for value in outputs}) < count:
            outputs = [inner.node("Identity", [value]) for value in outputs]
        graphs.append(sub_graph(inner, (), outputs))
    return d.nodes_outputs("If", [condition], count, then_branch=graphs[0], else_branch=graphs[1])[0]


def info_of(name: str, array: Array, *, open_shape: bool = False) -> onnx.ValueInfoProto:
    """The type of a value of a sub-graph."""
    shape: Any = [None] * array.ndim if open_shape else list(array.shape)
    return helper.make_tensor_value_info(name, element_type(array), shape)


@row(0.3)
def loop(d: Draw) -> Value:
    """Loop with carried values that keep their shape or grow, scan outputs, and early exits."""
    carried = d.value(low=1, high=3, where=lambda v: 0 < v.array.size < 200)
    inner = inner_draw(d, "l")
    names = [f"{inner.prefix}{name}" for name in ("i", "c", "s")]
    step, going = np.asarray(0, "int64"), np.asarray(True)
    for name, array in zip(names, (step, going, carried.array), strict=True):
        enter(inner, name, array)
    i, c, s = inner.values[-3:]
    fill(inner, d.integer(0, 2))
    grows = d.chance(0.3)
    if grows:
        row_of = inner.node("Cast", [i], to=1)
        row_of = inner.node("Expand", [row_of, inner.constant(np.asarray([1, *carried.shape[1:]], "int64"))])
        result = inner.node("Concat", [s, row_of], axis=0)
    else:
        other = inner.find(where=lambda v: v.shape == carried.shape) or s
        result = inner.node("Add", [other, inner.constant(inner.array((), "float32") / 4)])
        if d.chance(0.5):
            result = inner.node("Tanh", [result])
    keeps_going = inner.node("Identity", [c])
    if d.chance(0.3):
        keeps_going = inner.node("Less", [i, inner.constant(np.asarray(d.integer(0, 3), "int64"))])
    outputs = [keeps_going, result]
    if d.chance(0.5) and not grows:
        outputs.append(inner.node("ReduceSum" if d.opset < 13 else "ReduceMean", [result], keepdims=0))
    infos = [
        info_of(names[0], step),
        info_of(names[1], going),
        info_of(names[2], carried.array, open_shape=grows or d.chance(0.3)),
    ]
    trips = d.fresh(np.asarray(d.integer(0, 4), "int64"))
    condition = d.fresh(np.asarray(True)) if d.chance(0.4) else None
    body = sub_graph(inner, infos, outputs)
    return d.nodes_outputs("Loop", [trips, condition, carried], len(outputs) - 1, body=body)[0]


@row(0.2)
def scan(d: Draw) -> Value:
    """Scan over one sequence with one state, forwards or backwards."""
    x = d.value(low=2, high=3, where=lambda v: 0 not in v.shape and v.array.size < 300)
    axis = d.integer(0, x.rank - 1)
    item = np.take(x.array, 0, axis)
    state = d.fresh(d.array(item.shape))
    inner = inner_draw(d, "s")
    names = [f"{inner.prefix}{name}" for name in ("s", "x")]
    for name, array in zip(names, (state.array, item), strict=True):
        enter(inner, name, array)
    s, element = inner.values[-2:]
    new = inner.node("Tanh", [inner.node(d.pick(("Add", "Mul")), [s, element])])
    out = inner.node(d.pick(("Sigmoid", "Identity", "Neg")), [new])
    body = sub_graph(
        inner, [info_of(name, a) for name, a in zip(names, (state.array, item), strict=True)], [new, out]
    )
    attrs: dict[str, Any] = {"scan_input_axes": [axis]} if axis or d.chance(0.3) else {}
    if d.chance(0.3):
        attrs["scan_input_directions"] = [1]
    if d.chance(0.3):
        attrs["scan_output_axes"] = [d.integer(0, item.ndim)]
    if d.chance(0.2):
        attrs["scan_output_directions"] = [1]
    return d.nodes_outputs("Scan", [state, x], 2, body=body, num_scan_inputs=1, **attrs)[0]


@row(0.2)
def sequence(d: Draw) -> Value:
    """A sequence that is built, changed, and read again."""
    if d.opset < 11:
        raise Rejected("no sequences yet")
    x = d.value(low=1, high=3, where=lambda v: 0 not in v.shape)
    others = [broadcastable(d, x) for _ in range(d.integer(0, 2))]
    same = [x, *(v for v in others if v.shape == x.shape)]
    built = d.node("SequenceConstruct", same)
    if d.chance(0.4):
        place = [d.constant(np.asarray(d.integer(-len(same), len(same)), "int64"))] if d.chance(0.6) else []
        built = d.node("SequenceInsert", [built, x, *place])
    if d.chance(0.3) and isinstance(built.value, list) and len(built.value) > 1:
        built = d.node("SequenceErase", [built, d.constant(np.asarray(0, "int64"))])
    if d.chance(0.2):
        d.node("SequenceLength", [built])
    if d.chance(0.5):
        return d.node("ConcatFromSequence", [built], axis=d.integer(0, x.rank - 1), new_axis=d.integer(0, 1))
    return d.node("SequenceAt", [built, d.fresh(np.asarray(0, "int64"))])


@row(0.12)
def split_to_sequence(d: Draw) -> Value:
    """SplitToSequence and SequenceAt."""
    if d.opset < 11:
        raise Rejected("no sequences yet")
    x = d.value(low=1, where=lambda v: 0 not in v.shape)
    axis = d.integer(0, x.rank - 1)
    parts = d.node("SplitToSequence", [x], axis=axis, keepdims=d.integer(0, 1))
    return d.node("SequenceAt", [parts, d.constant(np.asarray(d.pick((0, -1)), "int64"))])


@row(0.1)
def optional(d: Draw) -> Value:
    """Optional, OptionalHasElement, OptionalGetElement."""
    if d.opset < 18:
        raise Rejected("no optionals of tensors yet")
    x = d.value()
    if d.chance(0.5):
        return d.node("OptionalHasElement", [x])
    return d.node("OptionalGetElement", [x])
