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
        "group_norm": "group_norm X Scale Bias -> Y Mean Variance | epsilon groups data_format=data_layout",
        "instance_norm": "instance_norm X Scale Bias -> Y SavedMean SavedVariance | epsilon",
        "layer_norm": "layer_norm X Scale Bias -> Y Mean Variance | epsilon begin_norm_axis",
        "lrn": "lrn X -> Out MidOut | n k alpha beta data_format",
        "norm": "norm X -> Out Norm | axis epsilon",
    }
)


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
