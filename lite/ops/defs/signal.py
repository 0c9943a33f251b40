"""Fourier transforms and mel filters, after ONNX DFT, STFT and MelWeightMatrix, and cepstra.

Complex numbers are pairs (real, imaginary) in a last axis; a last axis of 1 holds real numbers.
"""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import number
from lite.ops.rules import apply
from lite.ops.schema import op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _dft(op: OpView) -> Meta:
    x = op["X"]
    position = element(op, "axis", "Axis")
    if position is None:
        return Meta(
            x.dtype, (*[UNKNOWN] * (x.rank - 1), 1 if op.flag("onesided") and op.flag("inverse") else 2)
        )
    axis = x.axis(position)
    stated = op.values("Length")
    shape = list(x.dims)
    onesided, inverse = op.flag("onesided"), op.flag("inverse")
    length: Dim = apply(shape[axis], lambda n: 2 * (n - 1)) if onesided and inverse else shape[axis]
    if op.get("Length") is not None:
        length = stated[0] if stated else UNKNOWN
    shape[axis] = apply(length, lambda n: n // 2 + 1) if onesided and not inverse else length
    shape[-1] = 1 if onesided and inverse else 2
    return Meta(x.dtype, tuple(shape))


def _stft(op: OpView) -> Meta:
    x, step, window = op["X"], op.values("FrameStep"), op.get("Window")
    frame: Dim = window.dims[0] if window is not None else UNKNOWN
    length = op.values("FrameLength")
    if length:
        frame = length[0]
    frames: Dim = UNKNOWN
    if isinstance(frame, int) and step and isinstance(x.dims[1], int):
        frames = (x.dims[1] - frame) // step[0] + 1
    bins = apply(frame, lambda n: n // 2 + 1 if op.flag("onesided") else n)
    return Meta(x.dtype, (x.dims[0], frames, bins, 2))


def _mel(op: OpView) -> Meta:
    bins, length = op.values("NumMelBins"), op.values("DftLength")
    if length and length[0] < 0:
        raise op.error("slot DftLength", "at least 0", length[0])
    rows: Dim = length[0] // 2 + 1 if length else UNKNOWN
    return Meta(op.dtype("output_datatype", DType.FLOAT32), (rows, bins[0] if bins else UNKNOWN))


def _mfcc(op: OpView) -> Meta:
    x, coefficients = op["X"], op.integer("dct_coefficient_count")
    if coefficients > op.integer("filterbank_channel_count"):
        raise op.error("dct_coefficient_count", "at most filterbank_channel_count", coefficients)
    if not 0 <= op.real("lower_frequency_limit") < op.real("upper_frequency_limit"):
        raise op.error(
            "lower_frequency_limit", "0 to upper_frequency_limit", op.real("lower_frequency_limit")
        )
    if isinstance(x.dims[2], int) and x.dims[2] < 2:
        raise op.error("slot X", "[channels,frames,at least 2]", x)
    return Meta(x.dtype, (*x.dims[:2], coefficients))


op(
    "dft",
    "Discrete Fourier transform along an axis, after ONNX DFT.",
    "X:float/2- Length?:int Axis?:int",
    "Out",
    _dft,
    attrs={"axis": 1, "inverse": False, "onesided": False},
    attr_slots={"Axis": "axis"},
)
op(
    "stft",
    "Short-time Fourier transform, after ONNX STFT.",
    "X:float/3 FrameStep:int Window?:float/1 FrameLength?:int",
    "Out",
    _stft,
    attrs={"onesided": True},
)
op(
    "mel_weight_matrix",
    "Weights from frequency bins to mel bins, after ONNX MelWeightMatrix.",
    "NumMelBins:int DftLength:int SampleRate:int LowerEdgeHertz:float UpperEdgeHertz:float",
    "Out",
    _mel,
    attrs={"output_datatype": -1},
)
op(
    "mfcc",
    "Mel-frequency cepstral coefficients of squared magnitudes, after TensorFlow Mfcc.",
    "X:float/3 SampleRate:int",
    "Out",
    _mfcc,
    attrs={
        "upper_frequency_limit": 4000.0,
        "lower_frequency_limit": 20.0,
        "filterbank_channel_count": number(40, 1, 1 << 16),
        "dct_coefficient_count": number(13, 1, 1 << 16),
    },
)
