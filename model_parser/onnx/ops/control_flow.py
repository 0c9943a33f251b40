"""If, Loop and Scan."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.subgraph import Subgraph

_BATCHED_SCAN = 8
"""The opset whose Scan has a batch axis."""


@onnx_op("If")
def branch(node: OnnxNode, writer: BlockWriter) -> None:
    """Two conditional blocks, of which one runs, and a choice of its results, as Paddle writes it."""
    condition = writer.unary("reshape2", node.input(0), {"shape": [1]})
    otherwise = writer.unary("logical_not", condition)
    results = [
        _conditional(node, writer, attribute, when)
        for attribute, when in (("else_branch", otherwise), ("then_branch", condition))
    ]
    mask = writer.unary("cast", condition, {"out_dtype": DType.INT32.code})
    for position, either in enumerate(zip(*results, strict=True)):
        out = node.optional_output(position)
        if out is not None:
            writer.emit("select_input", {"X": either, "Mask": mask}, {"Out": out})


def _conditional(node: OnnxNode, writer: BlockWriter, attribute: str, condition: str) -> list[str]:
    body = Subgraph(node, attribute, writer)
    body.write_nodes()
    if len(body.outputs) != len(node.outputs):
        raise node.error(f"{attribute} has {len(body.outputs)} results, the node {len(node.outputs)}")
    outs = [writer.new(name) for name in body.outputs]
    for result, out in zip(body.outputs, outs, strict=True):
        body.copy_out(result, out)
        writer.describe(out, *body.writer.type_of(result))
    writer.run_block("conditional_block", {"Cond": condition}, outs, body.writer.block, scalar=True)
    return outs


class _While:
    """A while op around a subgraph: carried variables, a counter, results of each turn in tensor arrays."""

    def __init__(self, node: OnnxNode, writer: BlockWriter, initial: Sequence[str]) -> None:
        self.writer = writer
        self.counter = _whole(writer, 0)
        self.carried = [writer.unary("assign", name) for name in initial]
        for variable in self.carried:
            writer.forget_shape(variable)
        self.body = Subgraph(node, "body", writer)
        self.inner = self.body.writer
        self._arrays: list[tuple[str, str]] = []

    def read_carried(self, names: Sequence[str]) -> None:
        """Give the body its carried values under its own names."""
        for variable, name in zip(self.carried, names, strict=True):
            self.inner.unary("assign", variable, out=name)

    def collect(self, result: str) -> str:
        """An array that takes in a result of every turn."""
        array = self.writer.declare_array(result)
        self._arrays.append((result, array))
        return array

    def run(self, condition: str, results: Sequence[str], again: Sequence[str], limit: str | None) -> None:
        """Write the ends of the body, and the op.

        `results` become the carried values; another turn follows while all of `again`, values of the
        body, hold and the counter is below `limit`.
        """
        for result, array in self._arrays:
            self.inner.write_outer("write_to_array", {"X": result, "I": self.counter}, array)
        copies = [self.inner.unary("assign", name) for name in results]
        for copy, variable in zip(copies, self.carried, strict=True):
            self.body.copy_out(copy, variable)
        following = self.inner.unary("increment", self.counter, {"step": 1.0})
        self.body.copy_out(following, self.counter)
        conditions = [self.inner.unary("reshape2", name, {"shape": [1]}) for name in again]
        if limit is not None:
            conditions.append(self.inner.binary("less_than", following, limit))
        self.body.copy_out(_all(self.inner, conditions), condition)
        outs = [*self.carried, self.counter, *(array for _, array in self._arrays), condition]
        self.writer.run_block("while", {"Condition": condition}, outs, self.inner.block)


@onnx_op("Loop")
def loop(node: OnnxNode, writer: BlockWriter) -> None:
    """A while op; what every turn yields is stacked behind it."""
    initial = list(node.inputs[2:])
    work = _While(node, writer, initial)
    body, count = work.body, len(initial)
    if len(body.inputs) != count + 2 or len(body.outputs) != len(node.outputs) + 1:
        raise node.error(
            f"the body has {len(body.inputs)} arguments and {len(body.outputs)} results, "
            f"expected {count + 2} and {len(node.outputs) + 1}"
        )
    given = node.optional(1)
    keep = None if given is None else writer.unary("reshape2", given, {"shape": [1]})
    limit = None
    if node.optional(0) is not None:
        limit = writer.unary("reshape2", node.input(0), {"shape": [1]})
    starts = [] if keep is None else [keep]
    starts += [] if limit is None else [writer.binary("less_than", work.counter, limit)]
    condition = _all(writer, starts)
    turn, holds, *names = body.inputs
    work.inner.unary("squeeze2", work.counter, {"axes": [0]}, turn)
    work.inner.emit("fill_constant", {}, {"Out": holds}, _true([]))
    work.read_carried(names)
    body.write_nodes()
    again, *results = body.outputs
    arrays = [work.collect(result) for result in results[count:]]
    work.run(condition, results[:count], [again], limit)
    for position, variable in enumerate(work.carried):
        if node.optional_output(position):
            writer.unary("assign", variable, out=node.output(position))
    for position, (array, result) in enumerate(zip(arrays, results[count:], strict=True)):
        if node.optional_output(count + position):
            _stack(work.inner, writer, array, result, node.output(count + position), 0, back=False)


@onnx_op("Scan")
def scan(node: OnnxNode, writer: BlockWriter) -> None:
    """A while op over slices of the scanned inputs."""
    if node.opset == _BATCHED_SCAN:
        raise node.error(
            "the Scan of opset 8 is not supported; convert the model with onnx.version_converter"
        )
    scanned = node.integer("num_scan_inputs", 0)
    states = len(node.inputs) - scanned
    work = _While(node, writer, node.inputs[:states])
    body = work.body
    yielded = len(body.outputs) - states
    axes = node.integers("scan_input_axes") or [0] * scanned
    backwards = node.integers("scan_input_directions") or [0] * scanned
    sources = node.inputs[states:]
    limit = _size(writer, sources[0], axes[0])
    condition = writer.binary("less_than", work.counter, limit)
    work.read_carried(body.inputs[:states])
    for source, axis, back, name in zip(sources, axes, backwards, body.inputs[states:], strict=True):
        index = work.counter
        if back:
            last = work.inner.unary("scale", limit, {"bias": -1.0})
            index = work.inner.binary("elementwise_sub", last, index)
        if axis < 0:
            axis += _rank(node, writer, source)
        row = work.inner.new(name)
        work.inner.emit("gather", {"X": source, "Index": index}, {"Out": row}, {"axis": axis})
        work.inner.unary("squeeze2", row, {"axes": [axis]}, name)
    body.write_nodes()
    arrays = [work.collect(result) for result in body.outputs[states:]]
    work.run(condition, body.outputs[:states], [], limit)
    for position, variable in enumerate(work.carried):
        if node.optional_output(position):
            writer.unary("assign", variable, out=node.output(position))
    out_axes = node.integers("scan_output_axes") or [0] * yielded
    turned = node.integers("scan_output_directions") or [0] * yielded
    for n, array in enumerate(arrays):
        out = node.optional_output(states + n)
        if out:
            _stack(
                work.inner, writer, array, body.outputs[states + n], out, out_axes[n], back=bool(turned[n])
            )


def _stack(
    inner: BlockWriter, writer: BlockWriter, array: str, result: str, out: str, axis: int, *, back: bool
) -> None:
    """All of an array as one tensor; what one element is like counts where there is none."""
    shape = inner.shape(result)
    dtype = inner.dtype(result)
    attrs: dict[str, AttrValue] = {
        "axis": axis,
        "dtype": dtype.code,
        "shape": [dim if isinstance(dim, int) else 0 for dim in shape or ()],
        "reverse": back,
    }
    writer.unary("stack_array", array, attrs, out)
    if shape is not None:
        place = axis if axis >= 0 else axis + len(shape) + 1
        writer.describe(out, dtype, (*shape[:place], UNKNOWN, *shape[place:]))


def _size(writer: BlockWriter, name: str, axis: int) -> str:
    """The size of an axis, int64 of shape [1]."""
    sizes = writer.new(name)
    writer.emit("shape", {"Input": name}, {"Out": sizes})
    size = writer.new(name)
    end = axis + 1 if axis != -1 else 2**31 - 1
    writer.emit("slice", {"Input": sizes}, {"Out": size}, {"axes": [0], "starts": [axis], "ends": [end]})
    return writer.unary("cast", size, {"out_dtype": DType.INT64.code})


def _all(writer: BlockWriter, conditions: Sequence[str]) -> str:
    if not conditions:
        name = writer.new("condition")
        writer.emit("fill_constant", {}, {"Out": name}, _true([1]))
        return name
    result = conditions[0]
    for other in conditions[1:]:
        result = writer.binary("logical_and", result, other)
    return result


def _true(shape: list[int]) -> dict[str, AttrValue]:
    return {"shape": shape, "dtype": DType.BOOL.code, "value": 1.0}


def _whole(writer: BlockWriter, value: int) -> str:
    name = writer.new("counter")
    attrs: dict[str, AttrValue] = {"shape": [1], "dtype": DType.INT64.code, "value": float(value)}
    writer.emit("fill_constant", {}, {"Out": name}, attrs)
    return name


def _rank(node: OnnxNode, writer: BlockWriter, name: str) -> int:
    rank = writer.rank(name)
    if rank is None:
        raise node.error(f"nothing says how many axes {name!r} has; give its shape in the model")
    return rank
