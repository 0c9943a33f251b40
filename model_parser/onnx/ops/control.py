"""Control flow: If becomes conditional blocks, Loop and Scan become while ops."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.messages import ValueInfoProto
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.subgraph import Subgraph
from lite.model_parser.onnx.translations import onnx_op
from lite.model_parser.onnx.while_loop import While, all_of, stack, true

_BATCHED_SCAN = 8
"""The only opset in which Scan has a batch axis."""


@onnx_op("If")
def if_(node: OnnxNode, writer: BlockWriter) -> None:
    """A `conditional_block` for each branch, and a `select_input` for each result, as Paddle exports it."""
    condition = writer.unary("reshape2", node.input(0), {"shape": [1]})
    negated = writer.unary("logical_not", condition)
    results = [
        _conditional(node, writer, attribute, guard)
        for attribute, guard in (("else_branch", negated), ("then_branch", condition))
    ]
    mask = writer.cast(condition, DType.INT32)
    for position, choices in enumerate(zip(*results, strict=True)):
        out = node.optional_output(position)
        absent = [name in writer.absent for name in choices]
        if out is not None and all(absent):
            writer.absent.add(out)
        elif any(absent):
            raise node.error(f"output {position} is an optional that has an element in one branch only")
        elif out is not None:
            writer.emit("select_input", {"X": choices, "Mask": mask}, {"Out": out})


def _conditional(node: OnnxNode, writer: BlockWriter, attribute: str, condition: str) -> list[str]:
    body = Subgraph(node, attribute, writer)
    body.write_nodes()
    if len(body.outputs) != len(node.outputs):
        raise node.error(
            f"{attribute} has {len(body.outputs)} results, expected {len(node.outputs)}, as the node"
        )
    outs = [writer.new_name(name) for name in body.outputs]
    writer.absent |= {out for name, out in zip(body.outputs, outs, strict=True) if name in writer.absent}
    for result, out in zip(body.outputs, outs, strict=True):
        if out not in writer.absent:
            body.copy_out(result, out)
            writer.copy_type(out, result, body.writer)
    written = [out for out in outs if out not in writer.absent]
    writer.run_block("conditional_block", {"Cond": condition}, written, body.writer.block, scalar=True)
    return outs


@onnx_op("Loop")
def loop_(node: OnnxNode, writer: BlockWriter) -> None:
    """A `while` op, and after it a stack of the results of all iterations."""
    initial = list(node.inputs[2:])
    loop = While(node, writer, initial)
    body, count = loop.body, len(initial)
    if len(body.inputs) != count + 2 or len(body.outputs) != len(node.outputs) + 1:
        raise node.error(
            f"the body has {len(body.inputs)} arguments and {len(body.outputs)} results, "
            f"expected {count + 2} and {len(node.outputs) + 1}"
        )
    conditions, limit = [], None
    if node.optional(1) is not None:
        conditions.append(writer.unary("reshape2", node.input(1), {"shape": [1]}))
    if node.optional(0) is not None:
        limit = writer.unary("reshape2", node.input(0), {"shape": [1]})
        conditions.append(writer.binary("less_than", loop.counter, limit))
    condition = all_of(writer, conditions)
    iteration, condition_in, *names = body.inputs
    loop.inner.unary("squeeze2", loop.counter, {"axes": [0]}, iteration)
    loop.inner.emit("fill_constant", {}, {"Out": condition_in}, true([]))
    loop.read_carried(names)
    body.write_nodes()
    condition_out, *results = body.outputs
    arrays = [loop.collect(result) for result in results[count:]]
    loop.run(condition, results[:count], [condition_out], limit)
    for position, variable in enumerate(loop.carried):
        if node.optional_output(position):
            writer.unary("assign", variable, out=node.output(position))
    for position, (array, result) in enumerate(zip(arrays, results[count:], strict=True)):
        if node.optional_output(count + position):
            stack(loop.inner, writer, array, result, node.output(count + position), 0, reverse=False)


@onnx_op("Scan")
def scan(node: OnnxNode, writer: BlockWriter) -> None:
    """A `while` op over slices of the scanned inputs, and after it stacks of the scanned outputs."""
    if node.opset == _BATCHED_SCAN:
        node = _nested_scan(node)
    scanned = node.integer("num_scan_inputs", 0)
    states = len(node.inputs) - scanned
    if not 1 <= scanned <= len(node.inputs):
        raise node.error(f"num_scan_inputs is {scanned}, expected 1 to the {len(node.inputs)} inputs")
    loop = While(node, writer, node.inputs[:states])
    body = loop.body
    scanned_outputs = len(body.outputs) - states
    axes = node.integers("scan_input_axes") or [0] * scanned
    reversed_inputs = node.integers("scan_input_directions") or [0] * scanned
    sources = node.inputs[states:]
    limit = _size(writer, sources[0], axes[0])
    condition = writer.binary("less_than", loop.counter, limit)
    loop.read_carried(body.inputs[:states])
    for source, axis, reverse, name in zip(sources, axes, reversed_inputs, body.inputs[states:], strict=True):
        index = loop.counter
        if reverse:
            last = loop.inner.unary("scale", limit, {"bias": -1.0})
            index = loop.inner.binary("elementwise_sub", last, index)
        if axis < 0:
            axis += writer.known_rank(source)
        row = loop.inner.new_name(name)
        loop.inner.emit("gather", {"X": source, "Index": index}, {"Out": row}, {"axis": axis})
        loop.inner.unary("squeeze2", row, {"axes": [axis]}, name)
    body.write_nodes()
    arrays = [loop.collect(result) for result in body.outputs[states:]]
    loop.run(condition, body.outputs[:states], [], limit)
    for position, variable in enumerate(loop.carried):
        if node.optional_output(position):
            writer.unary("assign", variable, out=node.output(position))
    out_axes = node.integers("scan_output_axes") or [0] * scanned_outputs
    reversed_outputs = node.integers("scan_output_directions") or [0] * scanned_outputs
    for n, array in enumerate(arrays):
        out = node.optional_output(states + n)
        if out:
            result, reverse = body.outputs[states + n], bool(reversed_outputs[n])
            stack(loop.inner, writer, array, result, out, out_axes[n], reverse=reverse)


def _nested_scan(node: OnnxNode) -> OnnxNode:
    """The Scan of opset 8 as a Scan of opset 9 over the batch axis, whose body is a Scan of opset 9.

    The nodes of the body are translated as of opset 9, too; no translation differs between the two.
    """
    if node.optional(0) is not None:
        raise node.error("sequence_lens is not supported; convert the model with onnx.version_converter")
    # Imported here because the package onnx is slow to import.
    from onnx import helper

    scanned = node.integer("num_scan_inputs", 0)
    body = node.graph("body")
    inputs, outputs = ([f"batched.{value.name}" for value in values] for values in (body.input, body.output))
    inner = helper.make_node("Scan", inputs, outputs, node.name, body=body, num_scan_inputs=scanned)
    directions = node.integers("directions")
    if directions is not None:
        inner.attribute.append(helper.make_attribute("scan_input_directions", directions))
    arguments, results = ([ValueInfoProto(name=name) for name in names] for names in (inputs, outputs))
    graph = helper.make_graph([inner], "batch", arguments, results)
    outer = helper.make_node("Scan", node.inputs[1:], node.outputs, body=graph, num_scan_inputs=len(inputs))
    return node.replaced(outer, _BATCHED_SCAN + 1)


def _size(writer: BlockWriter, name: str, axis: int) -> str:
    """The size of an axis, int64[1]."""
    sizes = writer.shape_of(name)
    size = writer.new_name(name)
    end = axis + 1 if axis != -1 else 2**31 - 1
    writer.emit("slice", {"Input": sizes}, {"Out": size}, {"axes": [0], "starts": [axis], "ends": [end]})
    return writer.cast(size, DType.INT64)
