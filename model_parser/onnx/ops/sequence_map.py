"""ONNX SequenceMap."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.while_loop import While


@onnx_op("SequenceMap")
def sequence_map(node: OnnxNode, writer: BlockWriter) -> None:
    """A while op over the elements; tensors are the same in every turn."""
    work = While(node, writer, [])
    body = work.body
    if len(body.inputs) != len(node.inputs) or len(body.outputs) != len(node.outputs):
        raise node.error(
            f"the body has {len(body.inputs)} arguments and {len(body.outputs)} results, "
            f"expected {len(node.inputs)} and {len(node.outputs)}"
        )
    count = writer.unary("lod_array_length", node.input(0))
    limit = writer.unary("cast", count, {"out_dtype": DType.INT64.code})
    condition = writer.binary("less_than", work.counter, limit)
    for source, name in zip(node.inputs, body.inputs, strict=True):
        if writer.is_array(source):
            slots = {"X": source, "Position": work.counter}
            work.inner.emit("array_element", slots, {"Out": name})
        else:
            work.inner.unary("assign", source, out=name)
    body.write_nodes()
    arrays = [work.collect(result) for result in body.outputs]
    work.run(condition, [], [], limit)
    for position, array in enumerate(arrays):
        if node.optional_output(position):
            writer.unary("assign", array, out=node.output(position))
