"""litebridge quantize: writes a model with int8 weights and activations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from lite.quantization import quantize as quantize_model
from lite.quantization.observers import METHODS
from lite.quantization.options import ACTIVATIONS, AUTO, FORMATS, LAYERS, ROUNDINGS
from lite.quantization.quantize_model import Quantized
from lite.quantization.recipe import WEIGHT_BITS
from lite.spec.grammar import split_specs
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option, write_file
from lite.tools.terminal import line_width, print_facts, print_json, print_table, print_text, stages


@click.command(short_help="Write MODEL with int8 weights and activations.")
@model_argument
@click.option(
    "--data", metavar="SOURCE", help="The calibration data: a folder, an .npz file, SCRIPT.py:function."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder, .onnx file or .lbm artifact to write.",
)
@click.option(
    "--format", "format_name", type=click.Choice(FORMATS), help="[default: onnx for ONNX, else paddle]"
)
@click.option(
    "--method",
    type=click.Choice([AUTO, *METHODS]),
    default=AUTO,
    help="How the range of an activation is chosen.  [default: mse if symmetric, else percentile]",
)
@click.option("--percentile", type=float, default=99.99, show_default=True, help="For --method percentile.")
@click.option(
    "--moving-rate", type=float, default=0.9, show_default=True, help="For --method moving_average."
)
@click.option(
    "--activations",
    type=click.Choice([name for name in ACTIVATIONS if name != "float"]),
    default="auto",
    help="int8 around 0, or uint8 with a zero point.  [default: symmetric for paddle, asymmetric for onnx]",
)
@click.option("--weights-only", is_flag=True, help="Leave activations in float; no --data needed.")
@click.option(
    "--weights",
    type=click.Choice(list(WEIGHT_BITS)),
    default="int8",
    show_default=True,
    help="The type of weights.",
)
@click.option(
    "--rounding",
    type=click.Choice(ROUNDINGS),
    default="compensated",
    show_default=True,
    help="Let the rounding errors of weights cancel on the data, or round to the nearest.",
)
@click.option("--per-tensor", is_flag=True, help="One step for each weight instead of one for each channel.")
@click.option(
    "--pairs",
    is_flag=True,
    help="Limit neighbouring weights where that costs little: faster on x86 processors without VNNI.",
)
@click.option("--equalize", is_flag=True, help="Equalise the ranges of channels across layers first.")
@click.option(
    "--correct-biases/--no-correct-biases",
    default=None,
    help="Correct the means of layers' results by their biases; by default where that helps.",
)
@click.option(
    "--layers",
    type=click.Choice(LAYERS),
    default="dense",
    show_default=True,
    help="Quantise dense convolutions and products with weights, or all layers.",
)
@click.option(
    "--keep", multiple=True, metavar="OP|NAME", help="An op type or a layer that stays in float; repeatable."
)
@click.option("--samples", type=int, metavar="N", help="Use at most N samples.")
@click.option(
    "--max-drop",
    type=float,
    metavar="X",
    help="Keep layers in float, first those that cost most error for the time that they gain, until the "
    "outputs differ by at most X.",
)
@click.option(
    "--metric",
    default="cosine",
    show_default=True,
    metavar="cosine|sqnr|SCRIPT.py:function",
    help="How --max-drop measures the difference.",
)
@click.option(
    "-d",
    "--device",
    "--devices",
    "devices",
    multiple=True,
    metavar="NAME{KEY=VALUE}",
    help="Measure the layers of --max-drop on this device; several in order of preference.",
)
@click.option(
    "--plan", type=click.Path(path_type=Path), metavar="FILE", help="Take the choice of layers from FILE."
)
@click.option(
    "--write-plan", type=click.Path(path_type=Path), metavar="FILE", help="Write the choice to FILE."
)
@json_option
@debug_option
def quantize(
    model: Path,
    params: Path | None,
    data: str | None,
    output: Path,
    format_name: str | None,
    method: str,
    percentile: float,
    moving_rate: float,
    activations: str,
    weights_only: bool,
    weights: str,
    rounding: str,
    per_tensor: bool,
    pairs: bool,
    equalize: bool,
    correct_biases: bool | None,
    layers: str,
    keep: tuple[str, ...],
    samples: int | None,
    max_drop: float | None,
    metric: str,
    devices: tuple[str, ...],
    plan: Path | None,
    write_plan: Path | None,
    as_json: bool,
) -> None:
    """Quantise the convolutions and matrix products of MODEL, a float model, and write it to OUTPUT.

    \b
    Examples:
      litebridge quantize model_dir --data samples/ -o int8_dir
      litebridge quantize model.onnx --data samples.npz -o int8.onnx
      litebridge quantize model_dir --data data.py:batches -o int8_dir \\
          --method percentile
      litebridge quantize model_dir --data samples/ -o int8_dir \\
          --max-drop 0.01 --write-plan plan.txt
      litebridge quantize model.onnx --weights-only --weights int4 -o int4.onnx
      litebridge quantize model_dir --data samples/ -o int8.lbm

    The model runs on the calibration data, and the range of each activation decides its integers.  Use 100
    or more samples that resemble the real inputs, with the same preprocessing.

    \b
    --data is one of
      a folder             each .npz file has the inputs of one run by name; an
                           .npy file has that of a model with one input
      samples.npz          each row of the arrays is a sample
      SCRIPT.py:function   the function returns or yields the inputs of each run,
                           as a dict of arrays by name or as a list of arrays

    A Paddle model gets quantize_linear and dequantize_linear, an ONNX model QuantizeLinear and
    DequantizeLinear; both run in other engines, too.  The other ops stay in float, and so do depthwise and
    transposed convolutions and products of activations unless --layers all is given.

    If the result is not accurate enough: try --method percentile or min_max; keep
    layers in float by --keep, first those next to inputs and outputs; or let --max-drop find the worst
    layers, which quantises the model once per layer.  `litebridge compare MODEL OUTPUT` shows where the
    error begins.  docs/quantization.md explains the methods.
    """
    with stages() as progress:
        result = quantize_model(
            model_config(model, params, devices=[name for text in devices for name in split_specs(text)]),
            data,
            output,
            format=format_name,
            method=method,
            activations="float" if weights_only else activations,
            weights=weights,
            per_channel=not per_tensor,
            pairs=pairs,
            equalize=equalize,
            correct_biases=correct_biases,
            rounding=rounding,
            layers=layers,
            keep=keep,
            percentile=percentile,
            moving_rate=moving_rate,
            samples=samples,
            max_drop=max_drop,
            metric=metric,
            plan=plan,
            progress=progress,
        )
    if write_plan is not None:
        write_file(write_plan, result.plan)
    if as_json:
        print_json(result.to_dict())
    else:
        _print(result, write_plan)


def _print_layers_in_float(layers: Sequence[tuple[str, str, str]]) -> None:
    """Each layer with --wide, otherwise a line for each reason with the first layer that it holds for."""
    if line_width() is None:
        print_table(("layer", "op", "reason"), layers, "\nin float")
        return
    counts = Counter((op, reason) for _, op, reason in layers)
    first = {(op, reason): name for name, op, reason in reversed(layers)}
    rows = [(count, op, reason, first[op, reason]) for (op, reason), count in counts.items()]
    print_table(("layers", "op", "reason", "the first"), rows, "\nin float")
    if len(rows) < len(layers):
        print_text("(--wide lists the layers)")


def _print(result: Quantized, plan: Path | None) -> None:
    counts = Counter(each.layer.op for each in result.choices if each.is_quantized)
    print_facts(
        {
            "format": result.format,
            "samples": result.samples,
            "quantised": ", ".join(f"{count} {op}" for op, count in sorted(counts.items())),
        }
    )
    in_float = [
        (each.layer.name, each.layer.op, each.reason) for each in result.choices if not each.is_quantized
    ]
    in_float += [(each.name, each.op, each.reason) for each in result.skipped]
    if in_float:
        _print_layers_in_float(in_float)
    measured = [
        (each.layer.name, each.layer.op, each.drop, each.gain, "yes" if each.is_quantized else "no")
        for each in result.choices
        if each.drop is not None
    ]
    if measured:
        print_table(("layer", "op", "drop", "gain in us", "quantised"), measured, "\nmeasured alone")
    if result.outputs:
        rows = [(each.name, each.sqnr, each.cosine) for each in result.outputs]
        print_table(
            ("output", "SQNR in dB", "cosine"), rows, "\nworst of the first samples, against the float model"
        )
    for path in (*result.files, *([] if plan is None else [plan])):
        click.echo(f"wrote {path}")
