"""Non-maximum suppression."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter, Names
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_SLOTS = ("Boxes", "Scores", "MaxOutputSize", "IouThreshold", "ScoreThreshold", "Sigma")
_OUTPUTS = {
    "NON_MAX_SUPPRESSION_V4": ("Out", "Count"),
    "NON_MAX_SUPPRESSION_V5": ("Out", "KeptScores", "Count"),
}


@tflite_op(*_OUTPUTS)
def non_max_suppression(node: TfliteNode, writer: GraphWriter) -> None:
    """`soft_non_max_suppression`; the outputs have zeros after the boxes that are chosen.

    Boxes of equal scores are chosen in their order, which the interpreter does not promise.
    """
    slots, count = _OUTPUTS[node.op], len(node.inputs)
    if count != len(slots) + 3 or len(node.outputs) != len(slots):
        raise ModelParseError(
            f"expected {len(slots) + 3} inputs and {len(slots)} outputs, got {count} and {len(node.outputs)}"
        )
    inputs: dict[str, Names] = {
        slot: writer.real(node.input(position)) for position, slot in enumerate(_SLOTS[:count])
    }
    outputs = {slot: output.name for slot, output in zip(slots, node.outputs, strict=True)}
    writer.emit("soft_non_max_suppression", inputs, outputs)
    for output in node.outputs:
        writer.declare(output)
