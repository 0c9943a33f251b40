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

    The interpreter differs in two cases: it chooses boxes of equal scores in another order, and an empty box,
    which does not overlap itself, again and again.
    """
    slots, count = _OUTPUTS[node.op], len(node.inputs)
    if count != len(slots) + 3 or len(node.outputs) != len(slots):
        raise ModelParseError(
            f"expected {len(slots) + 3} inputs and {len(slots)} outputs, got {count} and {len(node.outputs)}"
        )
    tensors = [*(node.input(position) for position in range(count)), *node.outputs]
    if any(tensor.quantisation is not None for tensor in tensors):
        raise ModelParseError("quantised tensors are not supported; expected boxes and scores of float32")
    inputs: dict[str, Names] = {
        slot: writer.name(node.input(position)) for position, slot in enumerate(_SLOTS[:count])
    }
    outputs = {slot: output.name for slot, output in zip(slots, node.outputs, strict=True)}
    writer.emit("soft_non_max_suppression", inputs, outputs)
    for output in node.outputs:
        writer.declare(output)
