"""litebridge convert: writes a model in another format."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from lite.ir.types import Shape
from lite.passes.pipelines import CLEANUP, HEAD
from lite.tools.analysis.conversion import (
    FORMATS,
    Conversion,
    check_conversion,
    convert_model,
    target_format,
)
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import input_shape_option, model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.values import by_name
from lite.tools.terminal import print_facts, print_json, print_table, print_text, progress, working

target_argument = click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
shapes_option = input_shape_option("Fix or name the sizes of an input, and fold what depends on them.")
check_option = click.option(
    "--check/--no-check",
    "check",
    default=True,
    show_default=True,
    help="Run both models on the same inputs and compare the outputs.",
)


@click.command(short_help="Write MODEL in another format.")
@model_argument
@target_argument
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    help="The format of OUT.  [default: onnx if OUT ends with .onnx, paddle if it has no ending]",
)
@shapes_option
@check_option
@feed_options
@json_option
@debug_option
def convert(
    model: Path,
    params: Path | None,
    target: Path,
    format_name: str | None,
    input_shapes: tuple[tuple[str, Shape], ...],
    check: bool,
    feed: FeedOptions,
    as_json: bool,
) -> None:
    """Write MODEL, a Paddle, ONNX, PNNX or TFLite model, to OUT in another format.

    \b
    Examples:
      litebridge convert model_dir model.onnx --shape x=2,4
      litebridge convert other.onnx out_dir --shape x=2,4
      litebridge convert model_dir model.onnx --input-shape x=n,4 --no-check
      litebridge convert model_dir out_dir --input-shape x=8,4

    A Paddle model is written to the folder OUT, with the ops as they were read; --input-shape changes the
    declared shapes.  An ONNX model is written to the file OUT, or to OUT/model.onnx, with the program
    cleaned up: canonical ops, folded constants, no op without effect.  If ONNX cannot express an op, nothing
    is written, and the error lists all such ops with counts and reasons.

    Then both models run on the same inputs, and their outputs are compared.  ONNX Runtime runs the ONNX
    model if it is installed.  An input that can be an image is one, drawn; --input x=photo.jpg reads one.
    If the model leaves the size of an input open and neither --shape nor --input gives it, nothing is
    compared.  The exit status is 3 if an output differs by more than 1e-3 of its largest value and by more
    than 1e-6.
    """
    name = target_format(target, format_name)
    convert_and_print(model, params, target, name, input_shapes, feed if check else None, as_json)


def convert_and_print(
    model: Path,
    params: Path | None,
    target: Path,
    format_name: str,
    input_shapes: tuple[tuple[str, Shape], ...],
    feed: FeedOptions | None,
    as_json: bool,
) -> None:
    """Convert a model, compare both models if `feed` is given, and print the result."""
    shapes = by_name("--input-shape", input_shapes)
    config = model_config(model, params)
    with progress(len(HEAD) + len(CLEANUP), "converting") as advance:
        conversion = convert_model(config, target, format_name, shapes, advance)
    if feed is None:
        conversion = dataclasses.replace(conversion, unchecked="--no-check")
    else:
        with working("comparing the models"):
            outputs, unchecked = check_conversion(config, target, conversion, feed.with_shapes(shapes))
        conversion = dataclasses.replace(conversion, outputs=outputs, unchecked=unchecked)
    if as_json:
        print_json({**vars(conversion), "differs": conversion.differs})
    else:
        _print(conversion)
    if conversion.differs:
        click.get_current_context().exit(ANSWER_IS_NO)


def _print(conversion: Conversion) -> None:
    print_facts(
        {
            "model": conversion.source,
            "from": conversion.source_format,
            "to": conversion.format,
            **conversion.details,
            **{f"ops {stage}": count for stage, count in conversion.ops.items() if count is not None},
            **{f"bytes {kind}": size for kind, size in conversion.bytes.items()},
        }
    )
    if conversion.unchecked is None:
        rows = [(each.name, each.error, each.verdict) for each in conversion.outputs]
        print_table(("output", "relative error", "result"), rows, "\nbefore and after")
    else:
        print_text(f"\nnot compared: {conversion.unchecked}")
    for path in conversion.written:
        click.echo(f"wrote {path}")
