"""Partial execution: the layers that need the most memory are computed in stripes of rows, one by one.

Before:  x -> conv -> depthwise -> pool, each value whole
After:   rows of x -> conv -> depthwise -> pool -> rows of the result, for each stripe

Only one stripe of the values between the layers exists at a time.  Rows that two stripes need are computed
twice, so the results are the same to the last bit (J. Lin et al., "MCUNetV2", 2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lite.codegen.rows import RowOp, Span, row_op
from lite.codegen.steps import MemoryPlan, Steps
from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Layout, Place
from lite.ops.macs import macs
from lite.plugin.emitter import EmitValue

COUNTS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Numbers of stripes that are tried."""

MOST_NODES = 32
"""The most nodes of a region before the step that needs the most memory, and the most from it on."""


@dataclass(frozen=True)
class Striped:
    """A region of neighbouring nodes and its number of stripes.

    peak: an estimate of the most bytes of the arena that are in use at once with these stripes.
    extra: the multiplications of rows that are computed more than once.
    """

    ops: Sequence[RowOp]
    count: int
    peak: int
    extra: int


def best_stripes(
    graph: Graph, steps: Steps, plan: MemoryPlan, most_extra: int, enough: int = 0
) -> Striped | None:
    """The region whose stripes give the lowest peak, in bytes.

    If regions have a peak of `enough` or less, it is the one of them with the fewest extra multiplications.
    A region has at most `most_extra` of them.  None if no region lowers the peak by an eighth.
    """
    now = max(plan.peaks, default=0)
    found = [each for each in _candidates(graph, steps, plan) if each.extra <= most_extra]
    found = [each for each in found if each.peak <= now - now // 8]
    fitting = [each for each in found if each.peak <= enough]
    if fitting:
        return min(fitting, key=lambda each: (each.extra, each.peak, each.count))
    return min(found, key=lambda each: (each.peak, each.extra, each.count), default=None)


def multiplications(graph: Graph) -> int:
    """The number of multiplications of one run."""
    return sum(_macs(node) for node in graph)


def _macs(node: Node) -> int:
    shapes = [
        {slot: [value.shape for value in values] for slot, values in slots.items()}
        for slots in (node.inputs, node.outputs)
    ]
    op = "conv2d" if node.op == "quantized_conv2d" else node.op
    return macs(op, shapes[0], shapes[1]) or 0


def _candidates(graph: Graph, steps: Steps, plan: MemoryPlan) -> Iterator[Striped]:
    """Regions with the step that needs the most memory, each with all numbers of stripes."""
    if not plan.peaks:
        return
    number = {step.node: n for n, step in enumerate(steps.steps)}
    worst = steps.steps[max(range(len(plan.peaks)), key=lambda n: plan.peaks[n])].node
    nodes = list(graph)
    at = nodes.index(worst)
    for begin in range(max(at - MOST_NODES, 0), at + 1):
        for ops in _regions(nodes[begin : at + MOST_NODES], at - begin):
            result = ops[-1].node.output()
            rows = (result.shape or ())[ops[-1].axis]
            for count in COUNTS:
                if isinstance(rows, int) and count <= rows:
                    each = _measured(ops, count, rows, steps, plan, number)
                    if each is not None:
                        yield each


def _regions(nodes: Sequence[Node], least: int) -> Iterator[list[RowOp]]:
    """Each start of `nodes`, of more than `least` nodes and two at least, that stripes can compute.

    All of its nodes compute rows from rows.  Its inner values are not results, and only its nodes read them.
    """
    axes: dict[Value, int] = {}
    ops: list[RowOp] = []
    inside: set[Node] = set()
    for n, node in enumerate(nodes):
        op = row_op(node, axes)
        if op is None:
            return
        ops.append(op)
        inside.add(node)
        axes.update(op.inputs)
        axes[node.output()] = op.axis
        if n < max(least, 1):
            continue
        inner = [each.node.output() for each in ops[:-1]]
        if all(not value.is_result and value.users.keys() <= inside for value in inner):
            yield list(ops)


def stripes_of(ops: Sequence[RowOp], count: int, rows: int) -> list[dict[Value, Span]] | None:
    """For each of up to `count` stripes, the rows of each value; None if a stripe would read padding only."""
    height = -(-rows // count)
    stripes = []
    for first in range(0, rows, height):
        spans = {ops[-1].node.output(): Span(first, min(first + height, rows))}
        for op in reversed(ops):
            needs = op.needs(spans[op.node.output()])
            if needs is None:
                return None
            for value, span in needs.items():
                spans[value] = span.hull(spans[value]) if value in spans else span
        stripes.append(spans)
    return stripes


def _measured(
    ops: Sequence[RowOp],
    count: int,
    rows: int,
    steps: Steps,
    plan: MemoryPlan,
    number: Mapping[Node, int],
) -> Striped | None:
    """A region in up to `count` stripes; None if it cannot be divided so."""
    stripes = stripes_of(ops, count, rows)
    if stripes is None:
        return None
    result = ops[-1].node.output()
    axes = {value: axis for op in ops for value, axis in op.inputs.items()}
    axes |= {op.node.output(): op.axis for op in ops}
    extra = -sum(_macs(op.node) for op in ops)
    within = {number[op.node] for op in ops if op.node in number}
    if not within:
        return None
    sizes = {value: EmitValue(value).bytes / EmitValue(value).shape[axis] for value, axis in axes.items()}
    scratch = {op.node: _scratch(op.node, steps, number) for op in ops}
    base = _others(ops, steps, plan, min(within), max(within))
    last = {value: n for n, op in enumerate(ops) for value in op.inputs}
    peak = 0.0
    for spans in stripes:
        live: dict[Value, float] = {}
        for n, op in enumerate(ops):
            out = op.node.output()
            span = spans[out]
            share = len(span) / EmitValue(out).shape[op.axis]
            extra += int(_macs(op.node) * share)
            for value, axis in op.inputs.items():
                # The rows of an image in NCHW are not contiguous: each stripe copies those that it reads.
                if value.producer not in scratch and axis != 1:
                    live[value] = sizes[value] * len(spans[value])
            if out is not result:
                live[out] = sizes[out] * len(span)
            tall = max((len(spans[v]) / EmitValue(v).shape[a] for v, a in op.inputs.items()), default=share)
            peak = max(peak, sum(live.values()) + scratch[op.node] * tall)
            live = {value: size for value, size in live.items() if last.get(value, -1) > n}
    outside = max((p for n, p in enumerate(plan.peaks) if n not in within), default=0)
    return Striped(ops, len(stripes), max(int(peak) + base, outside), max(extra, 0))


def _scratch(node: Node, steps: Steps, number: Mapping[Node, int]) -> int:
    if node not in number:
        return 0
    return sum(p.source.scratch for p in steps.steps[number[node]].emission.parameters)


def _others(ops: Sequence[RowOp], steps: Steps, plan: MemoryPlan, first: int, last: int) -> int:
    """The bytes of the arena that values outside of the stripes use while these run, the result included."""
    inside = {steps.root(op.node.output()) for op in ops[:-1]}
    result = steps.root(ops[-1].node.output())
    spans: dict[Value, tuple[int, int]] = {}
    for n, step in enumerate(steps.steps):
        for parameter in step.emission.parameters:
            if parameter.source.value is not None:
                root = steps.root(parameter.source.value)
                spans[root] = (spans.get(root, (n, n))[0], n)
    return sum(
        EmitValue(root).bytes
        for root, (begin, end) in spans.items()
        if root in plan.values
        and plan.values[root].where == "arena"
        and root not in inside
        and (root is result or (begin <= last and end >= first))
    )


def write_stripes(graph: Graph, striped: Striped) -> set[Node]:
    """Replace the nodes of a region by those of its stripes; returns the new nodes that slice and join."""
    ops = striped.ops
    made: set[Node] = set()
    result, end = ops[-1].node.output(), ops[-1].node
    rows = EmitValue(result).shape[ops[-1].axis]
    stripes = stripes_of(ops, striped.count, rows)
    assert stripes is not None
    parts = []
    for spans in stripes:
        known: dict[tuple[Value, Span], Value] = {}
        for op in ops:
            span = spans[op.node.output()]
            needs = op.needs(span)
            assert needs is not None
            inputs: dict[Value, Value] = {}
            for value, axis in op.inputs.items():
                key = (value, needs[value])
                if key not in known:
                    whole = known.get((value, spans[value]))
                    first = needs[value].first - (spans[value].first if whole is not None else 0)
                    known[key] = _slice(
                        graph, whole or value, axis, Span(first, first + len(needs[value])), end, made
                    )
                inputs[value] = known[key]
            known[op.node.output(), span] = _copy(graph, op, span, inputs, end)
        parts.append(known[result, spans[result]])
    join = graph.add_node(
        "concat",
        {"X": parts},
        {"Out": [graph.new_value(result.name, result)]},
        {"axis": ops[-1].axis},
        before=end,
    )
    join.place = Place(HOST, None, Layout.ANY)
    made.add(join)
    graph.replace_uses(result, join.output())
    for op in reversed(ops):
        graph.erase(op.node)
    return made


def _copy(graph: Graph, op: RowOp, span: Span, inputs: Mapping[Value, Value], end: Node) -> Value:
    """Add a node that computes the rows `span` of an op, before `end`; returns its output."""
    node = op.node
    outputs = {}
    for slot, values in node.outputs.items():
        outputs[slot] = [graph.new_value(value.name, value) for value in values if value.is_used]
    slots = {slot: [inputs.get(value, value) for value in values] for slot, values in node.inputs.items()}
    copy = graph.add_node(node.op, slots, outputs, op.attributes(span), before=end)
    copy.place = node.place
    out = copy.output()
    out.shape = _with_rows(out, op.axis, len(span))
    return out


def _slice(graph: Graph, value: Value, axis: int, span: Span, end: Node, made: set[Node]) -> Value:
    """The rows `span` of a value: the output of a new node before `end`, or the value if these are all."""
    if span == Span(0, EmitValue(value).shape[axis]):
        return value
    attrs = {"axes": [axis], "starts": [span.first], "ends": [span.end]}
    out = graph.new_value(f"{value.name}.rows", value)
    node = graph.add_node("slice", {"Input": [value]}, {"Out": [out]}, attrs, before=end)
    node.place = Place(HOST, None, Layout.ANY)
    out.shape = _with_rows(value, axis, len(span))
    made.add(node)
    return out


def _with_rows(value: Value, axis: int, rows: int) -> tuple[int, ...]:
    shape = list(EmitValue(value).shape)
    shape[axis] = rows
    return tuple(shape)
