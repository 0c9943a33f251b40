"""ONNX ops for which there is an op of ours with ONNX's attributes."""

from __future__ import annotations

from dataclasses import dataclass

from lite.ir.program import AttrType, AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.ops import get_schema


@dataclass(frozen=True)
class _Row:
    """Our op, and its slots in the order of ONNX's inputs and outputs."""

    op: str
    inputs: str
    outputs: str = "Out"


_OPS = {
    "Attention": _Row(
        "attention", "Q K V Mask PastKey PastValue KeyLengths", "Out PresentKey PresentValue Scores"
    ),
    "CausalConvWithState": _Row("causal_conv", "X Filter Bias PastState", "Out PresentState"),
    "CenterCropPad": _Row("center_crop_pad", "X Shape"),
    "Col2Im": _Row("col2im", "X ImageShape BlockShape"),
    "ConvInteger": _Row("conv_integer", "X Filter XZeroPoint FilterZeroPoint"),
    "GRU": _Row("gru_sequence", "X W R B SequenceLength H0", "Out H"),
    "LSTM": _Row("lstm_sequence", "X W R B SequenceLength H0 C0 P", "Out H C"),
    "LinearAttention": _Row("linear_attention", "Q K V PastState Decay Beta", "Out PresentState"),
    "MaxRoiPool": _Row("max_roi_pool", "X ROIs"),
    "MelWeightMatrix": _Row(
        "mel_weight_matrix", "NumMelBins DftLength SampleRate LowerEdgeHertz UpperEdgeHertz"
    ),
    "NonMaxSuppression": _Row(
        "non_max_suppression", "Boxes Scores MaxOutputBoxesPerClass IouThreshold ScoreThreshold"
    ),
    "QLinearConv": _Row(
        "qlinear_conv", "X XScale XZeroPoint Filter FilterScale FilterZeroPoint OutScale OutZeroPoint Bias"
    ),
    "RNN": _Row("rnn_sequence", "X W R B SequenceLength H0", "Out H"),
    "RegexFullMatch": _Row("regex_full_match", "X"),
    "RotaryEmbedding": _Row("rotary_embedding", "X CosCache SinCache PositionIds"),
    "STFT": _Row("stft", "X FrameStep Window FrameLength"),
    "StringConcat": _Row("string_concat", "X Y"),
    "StringNormalizer": _Row("string_normalizer", "X"),
    "StringSplit": _Row("string_split", "X", "Out Count"),
    "TfIdfVectorizer": _Row("tf_idf_vectorizer", "X"),
}


@onnx_op(*(name for name in _OPS if name not in ("GRU", "LSTM", "RNN")))
def of_ours(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of the table with the attributes that are given."""
    write_of_ours(node, writer)


def write_of_ours(node: OnnxNode, writer: BlockWriter, more: dict[str, AttrValue] | None = None) -> None:
    """Write the op of the table; `more` are attributes that ONNX does not have."""
    row = _OPS[node.op]
    ins, outs = row.inputs.split(), row.outputs.split()
    writer.emit(
        row.op,
        {slot: node.optional(position) for position, slot in enumerate(ins)},
        {slot: node.optional_output(position) for position, slot in enumerate(outs)},
        {**given(node, row.op), **(more or {})},
    )


def given(node: OnnxNode, op: str) -> dict[str, AttrValue]:
    """The attributes of an op of ours that a node has."""
    found: dict[str, AttrValue] = {}
    for name, attr in get_schema(op).attrs.items():
        if not node.has(name):
            continue
        value: AttrValue | None = None
        if attr.type in (AttrType.INT, AttrType.LONG, AttrType.BOOLEAN):
            value = node.integer(name, 0)
        elif attr.type == AttrType.FLOAT:
            value = node.real(name, 0.0)
        elif attr.type == AttrType.STRING:
            value = node.text(name, "")
        elif attr.type == AttrType.STRINGS:
            value = node.texts(name)
        elif attr.type == AttrType.FLOATS:
            value = node.reals(name)
        else:
            value = node.integers(name)
        if value is not None:
            found[name] = _element_type(node, value) if name == "output_datatype" else value
    return found


def _element_type(node: OnnxNode, number: AttrValue) -> int:
    """Our number of an element type for ONNX's."""
    dtype = dtype_of(number) if isinstance(number, int) else None
    if dtype is None:
        raise node.error(f"element type {number} is not one")
    return dtype.code
