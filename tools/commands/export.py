"""litebridge export: a model as one ONNX file."""

from __future__ import annotations

from pathlib import Path

import click

from lite.ir.types import Shape
from lite.tools.commands.convert import check_option, report, shapes_option, target_argument
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument


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
    wanted: bool,
    feed: FeedOptions,
    as_json: bool,
) -> None:
    """Write MODEL to OUT as one ONNX file, and hold it against the model in ONNX Runtime.

    \b
    Examples:
      litebridge export model_dir model.onnx --shape x=2,4
      litebridge export model_dir model.onnx --input-shape x=n,4 --no-check

    The same as `litebridge convert --format onnx`.  The file has opset 21 and all weights inside (less
    than 2 GiB); onnx.checker accepts it.  Inputs, outputs and named sizes keep their names.  Loops and
    branches become Loop and If.
    """
    report(model, params, target, "onnx", input_shapes, feed if wanted else None, as_json)
