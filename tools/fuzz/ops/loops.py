"""Loops whose branches depend on the elements of each iteration."""

from __future__ import annotations

import numpy as np
import onnx

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.control import enter, info_of, inner_draw, own, sub_graph


@row(0.2)
def loop_with_branches(d: Draw) -> Value:
    """A loop over rows that changes, lengthens or keeps what it carries, as a row says, and may end early."""
    if d.opset < 13:
        raise Rejected("axes are attributes yet")
    x = d.value(low=2, high=3, where=lambda v: 0 not in v.shape and v.array.size < 300)
    grows = d.chance(0.6)
    # Its rows are as large as those of x, whatever sizes x has.
    if grows:
        ends = [d.constant(np.asarray([number], "int64")) for number in (0, d.integer(0, 2), 0)]
        carried = d.node("Slice", [x, *ends])
    else:
        carried = d.node("Gather", [x, d.constant(np.asarray(d.integer(-1, 0), "int64"))], axis=0)
    inner = inner_draw(d, "b")
    names = [f"{inner.prefix}{name}" for name in ("i", "c", "s")]
    arrays = (np.asarray(0, "int64"), np.asarray(True), carried.array)
    i, going, state = (enter(inner, name, array) for name, array in zip(names, arrays, strict=True))
    item = inner.node("Gather", [x, i], axis=0)
    total = inner.node(d.pick(("ReduceSum", "ReduceMax", "ReduceMean")), [item], keepdims=0)
    holds = inner.node(d.pick(("Greater", "Less")), [total, inner.constant(inner.array((), "float32"))])
    branches = [_changed(inner, state, item, grows=grows), _kept(inner, state, grows=grows)]
    if d.chance(0.4):
        branches.reverse()
    result = inner.node("If", [holds], then_branch=branches[0], else_branch=branches[1])
    keeps_going = own(inner, going)
    if d.chance(0.4):
        keeps_going = inner.node("Less", [total, inner.constant(inner.array((), "float32"))])
    outputs = [keeps_going, result]
    if d.chance(0.4):
        outputs.append(own(inner, total) if d.chance(0.5) else inner.node("Tanh", [item]))
    infos = [
        info_of(name, array, open_shape=grows and name == names[2])
        for name, array in zip(names, arrays, strict=True)
    ]
    body = sub_graph(inner, infos, outputs)
    trips = d.fresh(np.asarray(d.integer(0, x.shape[0]), "int64"))
    return d.nodes_outputs("Loop", [trips, None, carried], len(outputs) - 1, body=body)[0]


def _changed(outer: Draw, state: Value, item: Value, *, grows: bool) -> onnx.GraphProto:
    """The branch with a new state: the old one and the row together."""
    inner = inner_draw(outer, "t")
    if not grows:
        new = inner.node(inner.pick(("Add", "Mul", "Sub", "Max")), [state, item])
        return sub_graph(inner, (), [inner.node("Tanh", [new]) if inner.chance(0.3) else new])
    if inner.chance(0.3):
        item = inner.node(inner.pick(("Relu", "Neg")), [item])
    parts = [state, inner.node("Unsqueeze", [item, inner.constant(np.asarray([0], "int64"))])]
    if inner.chance(0.3):
        parts.reverse()
    return sub_graph(inner, (), [inner.node("Concat", parts, axis=0)])


def _kept(outer: Draw, state: Value, *, grows: bool) -> onnx.GraphProto:
    """The branch with the old state, or with one that is as large."""
    inner = inner_draw(outer, "e")
    op = "Identity" if grows or inner.chance(0.5) else inner.pick(("Neg", "Relu", "Sigmoid"))
    return sub_graph(inner, (), [inner.node(op, [state])])
