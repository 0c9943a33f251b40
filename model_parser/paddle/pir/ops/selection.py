"""Ops that pick, repeat or replace elements, order statistics, and counts."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "cummax": "cummax x -> out indices | axis dtype",
        "cummin": "cummin x -> out indices | axis dtype",
        "histogram": "histogram X Weight -> Out | bins min max density",
        "index_add": "index_add X Index AddValue -> Out | axis",
        "index_put": "index_put x indices value -> out | accumulate",
        "index_sample": "index_sample X Index -> Out",
        "kthvalue": "kthvalue X -> Out Indices | k axis keepdim",
        "logcumsumexp": "logcumsumexp X -> Out | axis flatten exclusive reverse",
        "masked_fill": "masked_fill x mask value -> out",
        "masked_select": "masked_select X Mask -> Y",
        "median": "median x -> out medians | axis keepdim mode",
        "mode": "mode X -> Out Indices | axis keepdim",
        "multiplex": "multiplex X Ids -> Out",
        "nanmedian": "nanmedian X -> Out MedianIndex | axis keepdim mode",
        "repeat_interleave": "repeat_interleave X -> Out | repeats=Repeats axis=dim",
        "repeat_interleave_with_tensor_index": "repeat_interleave X RepeatsTensor -> Out | axis=dim",
        "searchsorted": "searchsorted SortedSequence Values -> Out | out_int32 right",
        "segment_pool": "segment_pool X SegmentIds -> Out SummedIds | pooltype",
        "send_uv": "graph_send_uv x y src_index dst_index -> out | message_op",
        "shard_index": "shard_index X -> Out | index_num nshards shard_id ignore_value",
        "unique_consecutive": "unique_consecutive X -> Out Index Counts | "
        "return_inverse return_counts axis dtype",
    }
)


@pir_op("bincount")
def bincount(node: PirNode, writer: BlockWriter) -> None:
    """`bincount`, whose least length is an operand."""
    least = node.input(2).integers()
    if least is None or len(least) != 1:
        raise ModelParseError("operand 'minlength': expected a constant; export it as a number")
    inputs = {"X": node.input(0), "Weights": node.optional(1)}
    writer.emit("bincount", inputs, {"Out": node.output()}, {"minlength": least[0]})


@pir_op("broadcast_tensors")
def broadcast_tensors(node: PirNode, writer: BlockWriter) -> None:
    """`broadcast_tensors`: a part for each operand."""
    output = node.output()
    output.parts = [writer.new(output, item) for item in output.type.items or ()]
    writer.emit("broadcast_tensors", {"X": node.parts(0)}, {"Out": output.parts})


@pir_op("send_u_recv", "send_ue_recv")
def send(node: PirNode, writer: BlockWriter) -> None:
    """`graph_send_recv` and `graph_send_ue_recv`, whose number of rows is an operand."""
    slots = (
        ["X", "Y", "Src_index", "Dst_index"] if node.op == "send_ue_recv" else ["X", "Src_index", "Dst_index"]
    )
    inputs = {slot: node.input(position) for position, slot in enumerate(slots)}
    attrs: dict[str, AttrValue] = {"reduce_op": node.string("reduce_op", "SUM")}
    if node.op == "send_ue_recv":
        attrs["message_op"] = node.string("message_op", "ADD")
    size = node.optional(len(slots))
    numbers = None if size is None else size.integers()
    if numbers is not None:
        attrs["out_size"] = numbers
    elif size is not None:
        inputs["Out_size"] = size
    outputs = {"Out": node.output()}
    if node.is_used(1):
        outputs["Dst_count"] = node.output(1)
    writer.emit(
        node.op.replace("send_u_", "graph_send_").replace("send_ue", "graph_send_ue"), inputs, outputs, attrs
    )
