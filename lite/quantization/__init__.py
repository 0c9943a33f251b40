"""Quantisation of float models after training: calibration, choice of layers, and written models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

# Few programs quantise, so `quantize` imports these modules when it is called.
if TYPE_CHECKING:
    from lite.config import Config
    from lite.ir.types import Array
    from lite.quantization.data import DataSource
    from lite.quantization.quantize_model import Progress, Quantized


def quantize(
    model: str | PathLike[str] | Config,
    data: DataSource | None,
    output: str | PathLike[str],
    *,
    format: str | None = None,
    method: str = "auto",
    activations: str = "auto",
    weights: str = "int8",
    per_channel: bool = True,
    pairs: bool = False,
    equalize: bool = False,
    correct_biases: bool | None = None,
    rounding: str = "compensated",
    layers: str = "dense",
    keep: Sequence[str] = (),
    percentile: float = 99.99,
    moving_rate: float = 0.9,
    samples: int | None = None,
    max_drop: float | None = None,
    metric: str | Callable[[Mapping[str, Array], Mapping[str, Array]], float] = "cosine",
    plan: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Quantized:
    """Quantise the convolutions and matrix products of a float model, and write the result.

    >>> lite.quantize("model_dir", "samples/", "int8_dir")               # doctest: +SKIP

    model: a path or a Config that names a Paddle, ONNX or PNNX model.
    data: calibration data: a folder of .npy and .npz files with one sample each; an .npz file with a sample
        in each row; SCRIPT.py:function, a function or an iterable, which yields the inputs of each run as a
        dict by name or a list.  One sample at a time is in memory.  None if only weights are quantised.
    output: the folder of the Paddle model, the file or folder of the ONNX model, or a file .lbm: an artifact
        of litebridge, planned for the devices of the Config.
    format: "onnx" writes QuantizeLinear and DequantizeLinear into a copy of an ONNX model, and is the default
        for ONNX models; "paddle" writes quantize_linear and dequantize_linear, and is the default for others.
    method: how the range of an activation is chosen: "min_max", "moving_average" of the ranges
        of runs, "percentile" of the elements, "kl" (Kullback-Leibler divergence), "mse" (mean square error).
        "auto" is "mse" for symmetric activations and "percentile" for others.
    activations: "symmetric": int8 around 0; "asymmetric": uint8 with a zero point, for ONNX only; "auto": the
        first for Paddle, the second for ONNX; "float": only weights are quantised.
    weights: "int8", "int4" or "float16".  Integers are symmetric and round halves to even.
    rounding: "compensated" rounds the weights one after the other, so that on the calibration data the errors
        cancel, which takes a minute for large models; "nearest" rounds each one to the nearest integer.
        Without quantised activations, weights are rounded to the nearest.
    per_channel: a step for each output channel of a weight, or one for all of it.
    layers: "dense" keeps depthwise and transposed convolutions and products of activations in float, which
        cost the most accuracy and little time; "all" quantises them, too.  If only weights are quantised,
        those of all layers are.
    pairs: let the magnitudes of neighbouring weights add up to 128 at most where that costs a layer little
        accuracy, so that sums of two products fit 16 bits: x86 processors without VNNI compute faster then,
        and other engines do not saturate there.
    equalize: before calibration, divide the channels of activations by factors that give them like ranges,
        and multiply the weights that read them: what the model computes stays the same.
    correct_biases: add to the biases of quantised layers what the means of their results lack on the data,
        which are read a second time; None: if the outputs on the first samples have less noise then.  An
        iterator has its samples once, so there is no correction.
    keep: op types and names of layers that stay in float.
    percentile, moving_rate: parameters of the methods of these names.
    samples: use at most so many samples.
    max_drop: keep in float the layers that cost most error for each microsecond that they gain on the places
        and devices of the Config, until `metric` is at most this.
    metric: "cosine" is 1 - cosine of the outputs, "sqnr" their noise as a fraction of the signal; or a
        function, or SCRIPT.py:function, that gets the outputs of both models by name and returns how much
        worse the second ones are.
    plan: a file with the precision of each layer; `Quantized.plan` is such a text.
    progress: called with a stage, the steps done and their number, None if that is unknown.

    An activation that is constant gets a range from 0 to the constant, so that both are exact; one that is
    always 0 gets the step of the range from 0 to 1.

    Raises `ConfigError` for options that are not valid and for a model without such layers, `InputError` for
    calibration data that are empty, do not fit the model or have NaN, and `ModelParseError` for models that
    cannot be read or written.
    """
    from lite.quantization.options import Options
    from lite.quantization.quantize_model import quantize_model

    options = Options(
        format=format,
        method=method,
        activations=activations,
        weights=weights,
        per_channel=per_channel,
        pairs=pairs,
        equalize=equalize,
        correct_biases=correct_biases,
        rounding=rounding,
        layers=layers,
        keep=tuple(keep),
        percentile=percentile,
        moving_rate=moving_rate,
        samples=samples,
        max_drop=max_drop,
        metric=metric,
        plan=plan,
    )
    return quantize_model(model, data, output, options, progress)
