"""litebridge export: writes a model as one ONNX file."""

from __future__ import annotations

from pathlib import Path

import click

from lite.ir.types import Shape
from lite.tools.analysis.conversion import target_format
from lite.tools.commands.convert import check_option, convert_and_print, shapes_option, target_argument
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument
from lite.tools.options.output import debug_option, json_option


@click.command(short_help="Write MODEL as an ONNX file.")
@model_argument
@target_argument
@shapes_option
@check_option
@feed_options
@json_option
@debug_option
def export(
    model: Path,
    params: Path | None,
    target: Path,
    input_shapes: tuple[tuple[str, Shape], ...],
    check: bool,
    feed: FeedOptions,
    as_json: bool,
) -> None:
    """Write MODEL to OUT as one ONNX file, and compare both models.

    \b
    Examples:
      litebridge export model_dir model.onnx --shape x=2,4
      litebridge export model_dir model.onnx --input-shape x=n,4 --no-check

    This is `litebridge convert --format onnx`.  The file has opset 21 and contains all weights, which must
    be smaller than 2 GiB in total; onnx.checker accepts it.  Inputs, outputs and named sizes keep their
    names.  Loops become the op Loop, and branches the op If.
    """
    format_name = target_format(target, "onnx")
    convert_and_print(model, params, target, format_name, input_shapes, feed if check else None, as_json)
