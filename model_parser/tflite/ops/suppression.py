"""Non-maximum suppression, and detections by it."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter, Names
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op
from lite.ops import get_schema

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


@tflite_op("CUSTOM:TFLite_Detection_PostProcess")
def detection_postprocess(node: TfliteNode, writer: GraphWriter) -> None:
    """`detection_postprocess`; what follows the detections is 0, which the interpreter leaves undefined."""
    if len(node.inputs) != 3 or len(node.outputs) != 4:
        raise ModelParseError(
            f"expected 3 inputs and 4 outputs, got {len(node.inputs)} and {len(node.outputs)}"
        )
    slots = ("Boxes", "Scores", "Anchors")
    inputs: dict[str, Names] = {
        slot: writer.real(node.input(position)) for position, slot in enumerate(slots)
    }
    outputs = dict(zip(("Out", "Classes", "KeptScores", "Count"), node.outputs, strict=True))
    known = get_schema("detection_postprocess").attrs
    attrs = {name: value for name, value in node.custom_options().items() if name in known}
    names = {slot: output.name for slot, output in outputs.items()}
    writer.emit("detection_postprocess", inputs, names, attrs)
    for output in node.outputs:
        writer.declare(output)
