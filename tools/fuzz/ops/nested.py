"""Control flow in control flow, loops over sequences, loops that data end, and optionals."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from lite.ir.types import Array
from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected, element_type, value_info
from lite.tools.fuzz.ops.control import branch, enter, fill, info_of, inner_draw, loop, own, scan, sub_graph

_DEEPEST = 3


def _depth(d: Draw) -> int:
    return 0 if d.outer is None else 1 + _depth(d.outer)


@row(0.2)
def nested(d: Draw) -> Value:
    """A loop, scan or branch in a loop or branch."""
    if _depth(d) >= _DEEPEST:
        raise Rejected("deep enough")
    if d.chance(0.5):
        return _branch_of(d)
    return _loop_of(d)


def _inside(inner: Draw) -> Value:
    """What the body of a nested construct computes: another construct, or some nodes."""
    fill(inner, inner.integer(0, 2))
    row_of = inner.pick((branch, loop, scan, nested))
    try:
        value = row_of(inner)
    except Rejected:
        found = inner.find()
        if found is None:
            raise
        value = found
    if not isinstance(value.value, np.ndarray) or value.dtype != "float32":
        raise Rejected("no tensor")
    return value


def _branch_of(d: Draw) -> Value:
    condition = d.fresh(np.asarray(d.chance(0.5)), constant=0.2)
    graphs = []
    for name in ("nt", "ne"):
        inner = inner_draw(d, name)
        graphs.append(sub_graph(inner, (), [own(inner, _inside(inner))]))
    return d.node("If", [condition], then_branch=graphs[0], else_branch=graphs[1])


def _loop_of(d: Draw) -> Value:
    """Two carried values, which may swap places, and scan outputs of what the body computes."""
    first = d.value(low=1, high=3, where=lambda v: 0 < v.array.size < 100)
    second = d.fresh(d.array(first.shape))
    inner = inner_draw(d, "nl")
    arrays = (np.asarray(0, "int64"), np.asarray(True), first.array, second.array)
    names = [f"{inner.prefix}{name}" for name in ("i", "c", "a", "b")]
    _, going, a, b = (enter(inner, name, array) for name, array in zip(names, arrays, strict=True))
    made = _inside(inner)
    mixed = inner.node("Tanh", [inner.node("Add", [a, b])])
    carried = [b, mixed] if d.chance(0.5) else [mixed, own(inner, a)]
    outputs = [own(inner, going), *(own(inner, value) for value in carried), own(inner, made)]
    if len({value.name for value in outputs}) < len(outputs):
        raise Rejected("one value twice")
    infos = [info_of(name, array) for name, array in zip(names, arrays, strict=True)]
    trips = d.fresh(np.asarray(d.integer(1, 3), "int64"))
    return d.nodes_outputs("Loop", [trips, None, first, second], 3, body=sub_graph(inner, infos, outputs))[0]


@row(0.25)
def until(d: Draw) -> Value:
    """A loop that ends where the data say so: doubling until a sum is large."""
    x = d.value(low=1, high=3, where=lambda v: 0 < v.array.size < 100 and v.is_exact)
    start = d.node("Abs", [x])
    inner = inner_draw(d, "u")
    arrays = (np.asarray(0, "int64"), np.asarray(True), start.array)
    names = [f"{inner.prefix}{name}" for name in ("i", "c", "s")]
    _, _, s = (enter(inner, name, array) for name, array in zip(names, arrays, strict=True))
    more = inner.node(
        "Add", [inner.node("Mul", [s, inner.constant(np.float32(2))]), inner.constant(np.float32(0.5))]
    )
    total = inner.node("ReduceSum", [more], keepdims=0)
    goes = inner.node("Less", [total, inner.constant(np.float32(d.integer(1, 200) + 0.3))])
    scanned = [inner.node("Neg", [more])] if d.chance(0.5) else []
    infos = [info_of(name, array) for name, array in zip(names, arrays, strict=True)]
    limit = d.fresh(np.asarray(d.integer(2, 6), "int64")) if d.chance(0.6) else None
    condition = d.fresh(np.asarray(True)) if limit is None or d.chance(0.5) else None
    body = sub_graph(inner, infos, [goes, more, *scanned])
    return d.nodes_outputs("Loop", [limit, condition, start], 1 + len(scanned), body=body)[0]


@row(0.2)
def loop_of_sequence(d: Draw) -> Value:
    """A loop that builds a sequence, or reads one element of it in every iteration."""
    x = d.value(low=1, high=2, where=lambda v: 0 < v.array.size < 60)
    inner = inner_draw(d, "q")
    names = [f"{inner.prefix}{name}" for name in ("i", "c", "q")]
    i = enter(inner, names[0], np.asarray(0, "int64"))
    going = enter(inner, names[1], np.asarray(True))
    infos = [info_of(names[0], i.array), info_of(names[1], going.array)]
    trips = d.fresh(np.asarray(d.integer(1, 3), "int64"))
    if d.chance(0.5):
        start = d.node("SequenceEmpty", []) if d.chance(0.5) else d.node("SequenceConstruct", [x])
        sequence = enter(inner, names[2], start.value or [x.array])
        item = inner.node("Add", [x, inner.node("Cast", [i], to=1)])
        longer = inner.node("SequenceInsert", [sequence, item])
        infos.append(helper.make_tensor_sequence_value_info(names[2], element_type(x.array), None))
        outputs = [own(inner, going), longer]
        body = _sequence_graph(inner, infos, outputs)
        built = d.node("Loop", [trips, None, start], body=body)
        return d.node("ConcatFromSequence", [built], axis=0)
    sequence = d.node("SequenceConstruct", [x, x, d.node("Neg", [x])])
    item = inner.node("SequenceAt", [sequence, i])
    body = sub_graph(inner, infos, [own(inner, going), inner.node("Tanh", [item])])
    return d.node("Loop", [trips, None], body=body)


def _sequence_graph(inner: Draw, inputs: list[Any], outputs: list[Value]) -> onnx.GraphProto:
    body = sub_graph(inner, inputs, outputs[:1])
    body.output.append(value_info(outputs[1].name, outputs[1].value))
    return body


@row(0.15)
def branch_of_sequences(d: Draw) -> Value:
    """If that returns a sequence, of which an element is read."""
    x = d.value(low=1, high=3, where=lambda v: 0 not in v.shape)
    condition = d.fresh(np.asarray(d.chance(0.5)), constant=0.2)
    graphs = []
    for name in ("qt", "qe"):
        inner = inner_draw(d, name)
        y = inner.node(d.pick(("Relu", "Neg", "Tanh")), [x])
        made = inner.node("SequenceConstruct", [x, y] if d.chance(0.5) else [y])
        graph = sub_graph(inner, (), [])
        graph.output.append(value_info(made.name, made.value))
        graphs.append(graph)
    built = d.node("If", [condition], then_branch=graphs[0], else_branch=graphs[1])
    return d.node("SequenceAt", [built, d.constant(np.asarray(d.pick((0, -1)), "int64"))])


@row(0.15)
def map_of_sequence(d: Draw) -> Value:
    """SequenceMap over the parts of a tensor."""
    if d.opset < 17:
        raise Rejected("no SequenceMap yet")
    x = d.value(low=1, high=3, where=lambda v: 0 not in v.shape)
    parts = d.node("SplitToSequence", [x], axis=0)
    inner = inner_draw(d, "m")
    assert isinstance(parts.value, list)
    element: Array = parts.value[0]
    item = enter(inner, f"{inner.prefix}x", element)
    made = inner.node(d.pick(("Relu", "Exp", "Neg")), [item])
    body = sub_graph(inner, [info_of(item.name, element, open_shape=True)], [made])
    mapped = d.node("SequenceMap", [parts], body=body)
    return d.node("ConcatFromSequence", [mapped], axis=0)


@row(0.1)
def optional_of_branch(d: Draw) -> Value:
    """An optional that holds a tensor or, in the other branch, nothing."""
    if d.opset < 18:
        raise Rejected("no optionals of tensors yet")
    x = d.value()
    held = d.node("Optional", [x])
    if d.chance(0.5):
        return d.node("OptionalHasElement", [held])
    return d.node("OptionalGetElement", [held])
