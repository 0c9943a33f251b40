"""Normalisation and dropout."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

_STATISTICS = "MeanOut VarianceOut SavedMean SavedVariance ReserveSpace"

pir_ops(
    {
        "batch_norm": f"batch_norm X Mean Variance Scale Bias -> Y {_STATISTICS} | "
        "epsilon data_format=data_layout is_test use_global_stats trainable_statistics",
        "fused_softmax_mask": "fused_softmax_mask X Mask -> Out",
        "group_norm": "group_norm X Scale Bias -> Y Mean Variance | epsilon groups data_format=data_layout",
        "instance_norm": "instance_norm X Scale Bias -> Y SavedMean SavedVariance | epsilon",
        "layer_norm": "layer_norm X Scale Bias -> Y Mean Variance | epsilon begin_norm_axis",
        "lrn": "lrn X -> Out MidOut | n k alpha beta data_format",
        "norm": "norm X -> Out Norm | axis epsilon",
    }
)


_FUSED = {"fused_bias_residual_layernorm": "layer_norm", "fused_rms_norm_quant": "rms_norm"}


@pir_op(*_FUSED)
def fused_norm(node: PirNode, writer: BlockWriter) -> None:
    """The norm of the sum of x, a bias and a residual, which is the second result."""
    if node.real("quant_scale", -1.0) > 0:
        raise ModelParseError("attribute 'quant_scale': expected none: its result is quantised")
    if node.optional(2) is not None and node.real("residual_alpha", 1.0) != 1:
        raise ModelParseError("attribute 'residual_alpha': expected 1: no other factor is supported")
    total = node.input(0)
    for position in (1, 2):
        term = node.optional(position)
        if term is not None:
            added = writer.new(total)
            writer.emit("elementwise_add", {"X": total, "Y": term}, {"Out": added})
            total = added
    op, scale, bias = _FUSED[node.op], node.optional(3), node.optional(4)
    attrs: dict[str, AttrValue] = {
        "epsilon": node.real("epsilon", 1e-5),
        "begin_norm_axis": node.integer("begin_norm_axis", 1) % max(total.known_rank(), 1),
    }
    inputs: dict[str, Operand] = {"X": total, "Scale": scale}
    normed = node.output()
    if op == "layer_norm":
        inputs["Bias"] = bias
    elif bias is not None:
        normed = writer.new(node.output())
    writer.emit(op, inputs, {"Y": normed}, attrs)
    if op == "rms_norm" and bias is not None:
        writer.emit("elementwise_add", {"X": normed, "Y": bias}, {"Out": node.output()})
    if node.is_used(1):
        writer.emit("assign", {"X": total}, {"Out": node.output(1)})


@pir_op("dropout")
def dropout(node: PirNode, writer: BlockWriter) -> None:
    """`dropout` as at inference: a copy, or a scale by 1 - p."""
    numbers = node.input(2).numbers()
    if numbers is None or len(numbers) != 1:
        raise ModelParseError("operand 'p': expected a constant; export the probability as a number")
    attrs: dict[str, AttrValue] = {
        "dropout_prob": numbers[0],
        "dropout_implementation": node.string("mode", "downgrade_in_infer"),
    }
    outputs: dict[str, Operand] = {"Out": node.output()}
    if node.is_used(1):
        outputs["Mask"] = node.output(1)
    writer.emit("dropout", {"X": node.input(0)}, outputs, attrs)
