"""Recurrent layers."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, read_row

pir_ops(
    {
        "gru": "gru Input H0 Weight Bias -> BatchGate BatchResetHiddenPrev BatchHidden Hidden | "
        "activation gate_activation is_reverse origin_mode is_test",
        "gru_unit": "gru_unit Input HiddenPrev Weight Bias -> Gate ResetHiddenPrev Hidden | "
        "activation gate_activation origin_mode",
        "lstm": "lstm Input H0 C0 Weight Bias -> Hidden Cell BatchGate BatchCellPreAct | "
        "use_peepholes is_reverse is_test gate_activation cell_activation candidate_activation",
    }
)

_RNN = read_row("rnn -> | mode hidden_size num_layers is_bidirec input_size is_test dropout_prob seed")


@pir_op("rnn")
def rnn(node: PirNode, writer: BlockWriter) -> None:
    """`rnn`; its states are lists of tensors."""
    attrs: dict[str, AttrValue] = _RNN.attr_values(node)
    states = node.output(2)
    if states.type.items is None:
        raise ModelParseError(f"expected a list of states as result 2, got {states.type.encoding}")
    states.parts = [writer.new(states, item) for item in states.type.items]
    inputs: dict[str, Operand] = {
        "Input": node.input(0),
        "PreState": node.parts(1),
        "WeightList": node.parts(2),
        "SequenceLength": node.optional(3),
    }
    writer.emit("rnn", inputs, {"Out": node.output(), "State": states}, attrs)
