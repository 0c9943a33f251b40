"""Ops on sequences and decoding."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "beam_search": "beam_search pre_ids pre_scores ids scores -> selected_ids selected_scores parent_idx "
        "| level beam_size end_id is_accumulated",
        "crf_decoding": "crf_decoding Emission Transition Label Length -> ViterbiPath",
        "ctc_align": "ctc_align Input InputLength -> Output OutputLength | blank "
        "merge_repeated padding_value",
        "gather_tree": "gather_tree Ids Parents -> Out",
        "im2sequence": "im2sequence X Y -> Out | kernels strides paddings out_stride",
        "lod_reset": "lod_reset X Y -> Out | target_lod append",
        "sequence_conv": "sequence_conv X PaddingData Filter -> Out | context_length=contextLength "
        "padding_trainable=paddingTrainable context_start=contextStart context_stride=contextStride",
        "sequence_expand": "sequence_expand X Y -> Out | ref_level",
        "sequence_pool": "sequence_pool X -> Out MaxIndex | is_test pooltype pad_value",
        "sequence_softmax": "sequence_softmax X -> Out",
        "viterbi_decode": "viterbi_decode Input Transition Length -> Scores Path | include_bos_eos_tag",
    }
)


@pir_op("sequence_mask")
def sequence_mask(node: PirNode, writer: BlockWriter) -> None:
    """`sequence_mask`; a constant longest length becomes an attribute."""
    longest = node.optional(1)
    inputs: dict[str, Operand] = {"X": node.input(0)}
    attrs: dict[str, AttrValue] = {}
    dtype = node.dtype("out_dtype")
    if dtype is not None:
        attrs["out_dtype"] = dtype.code
    numbers = None if longest is None else longest.integers()
    if numbers is not None and len(numbers) == 1:
        attrs["maxlen"] = numbers[0]
    else:
        inputs["MaxLenTensor"] = longest
    writer.emit("sequence_mask", inputs, {"Y": node.output()}, attrs)
