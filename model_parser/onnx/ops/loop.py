"""ONNX Loop."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.while_loop import While, every, stack, true


@onnx_op("Loop")
def loop(node: OnnxNode, writer: BlockWriter) -> None:
    """A while op; what every turn yields is stacked behind it."""
    initial = list(node.inputs[2:])
    work = While(node, writer, initial)
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
    condition = every(writer, starts)
    turn, holds, *names = body.inputs
    work.inner.unary("squeeze2", work.counter, {"axes": [0]}, turn)
    work.inner.emit("fill_constant", {}, {"Out": holds}, true([]))
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
            stack(work.inner, writer, array, result, node.output(count + position), 0, back=False)
