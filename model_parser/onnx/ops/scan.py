"""ONNX Scan."""

from __future__ import annotations

import onnx
from onnx import helper

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.while_loop import While, stack

_BATCHED_SCAN = 8
"""The opset whose Scan has a batch axis."""


@onnx_op("Scan")
def scan(node: OnnxNode, writer: BlockWriter) -> None:
    """A while op over slices of the scanned inputs."""
    if node.opset == _BATCHED_SCAN:
        node = _over_batch(node)
    scanned = node.integer("num_scan_inputs", 0)
    states = len(node.inputs) - scanned
    work = While(node, writer, node.inputs[:states])
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
            stack(work.inner, writer, array, body.outputs[states + n], out, out_axes[n], back=bool(turned[n]))


def _over_batch(node: OnnxNode) -> OnnxNode:
    """The Scan of opset 8 as a newer one over the batch axis, in which every turn is a newer Scan.

    What stands in the body is read as of the newer opset, too, which is the same for every translator.
    """
    if node.optional(0) is not None:
        raise node.error("sequence_lens is not supported; convert the model with onnx.version_converter")
    scanned = node.integer("num_scan_inputs", 0)
    body = node.graph("body")
    inputs, outputs = ([f"batched.{value.name}" for value in values] for values in (body.input, body.output))
    inner = helper.make_node("Scan", inputs, outputs, node.name, body=body, num_scan_inputs=scanned)
    directions = node.integers("directions")
    if directions is not None:
        inner.attribute.append(helper.make_attribute("scan_input_directions", directions))
    fed, yielded = ([onnx.ValueInfoProto(name=name) for name in names] for names in (inputs, outputs))
    graph = helper.make_graph([inner], "batch", fed, yielded)
    outer = helper.make_node("Scan", node.inputs[1:], node.outputs, body=graph, num_scan_inputs=len(inputs))
    return node.replaced(outer, _BATCHED_SCAN + 1)


def _size(writer: BlockWriter, name: str, axis: int) -> str:
    """The size of an axis, int64 of shape [1]."""
    sizes = writer.new(name)
    writer.emit("shape", {"Input": name}, {"Out": sizes})
    size = writer.new(name)
    end = axis + 1 if axis != -1 else 2**31 - 1
    writer.emit("slice", {"Input": sizes}, {"Out": size}, {"axes": [0], "starts": [axis], "ends": [end]})
    return writer.unary("cast", size, {"out_dtype": DType.INT64.code})


def _rank(node: OnnxNode, writer: BlockWriter, name: str) -> int:
    rank = writer.rank(name)
    if rank is None:
        raise node.error(f"nothing says how many axes {name!r} has; give its shape in the model")
    return rank
