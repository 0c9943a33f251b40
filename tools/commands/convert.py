"""litebridge convert: a model in another format."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from lite.ir.types import Shape
from lite.passes.pipelines import CLEANUP, HEAD
from lite.tools.conversion import FORMATS, Conversion, check, convert_model, target_format
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import (
    by_name,
    debug_option,
    json_option,
    model_argument,
    model_config,
    named_dims,
)
from lite.tools.terminal import print_facts, print_json, print_table, progress

DIFFERS = 3
"""Exit status when the converted model gives other results."""

target_argument = click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
shapes_option = click.option(
    "--input-shape",
    "input_shapes",
    type=named_dims,
    metavar="NAME=1,3,h,?",
    multiple=True,
    help="Fix or name the sizes of an input; what depends on them is folded.",
)
check_option = click.option(
    "--check/--no-check",
    "wanted",
    default=True,
    show_default=True,
    help="Run the model before and after on made-up inputs and compare.",
)


@click.command(short_help="Write MODEL in another format.")
@model_argument
@target_argument
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    help="What to write.  [default: onnx for an OUT that ends in .onnx, else paddle]",
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
    wanted: bool,
    feed: FeedOptions,
    as_json: bool,
) -> None:
    """Write MODEL (Paddle, ONNX or PNNX, told by content) to OUT in another format.

    \b
    Examples:
      litebridge convert model_dir model.onnx --shape x=2,4
      litebridge convert other.onnx out_dir --shape x=2,4
      litebridge convert model_dir model.onnx --input-shape x=n,4 --no-check

    A Paddle model (OUT is a directory) holds the program as it was read.  An ONNX file holds the
    cleaned program op by op: one spelling per op, constants folded, nothing that does nothing.
    Ops that ONNX cannot say are listed all at once, with counts and reasons, and nothing is written.

    Then both models run on made-up inputs (an ONNX file in ONNX Runtime, where that is installed);
    sizes that the model leaves open must be said with --shape, otherwise nothing is compared.  Shows
    formats, ops before and after, bytes, and the largest relative error of each output; the exit
    status is 3 when one differs by more than 1e-3 of its range.
    """
    name = target_format(target, format_name)
    report(model, params, target, name, input_shapes, feed if wanted else None, as_json)


def report(
    model: Path,
    params: Path | None,
    target: Path,
    format_name: str,
    input_shapes: tuple[tuple[str, Shape], ...],
    feed: FeedOptions | None,
    as_json: bool,
) -> None:
    """Convert, compare unless there is nothing to feed, and print what came of it."""
    shapes = by_name("--input-shape", input_shapes)
    config = model_config(model, params)
    with progress(len(HEAD) + len(CLEANUP), "converting") as advance:
        _, found = convert_model(config, target, format_name, shapes, advance)
    if feed is None:
        found = dataclasses.replace(found, unchecked="not asked for")
    else:
        outputs, unchecked = check(config, target, found, feed)
        found = dataclasses.replace(found, outputs=outputs, unchecked=unchecked)
    if as_json:
        print_json({**vars(found), "differs": found.differs})
    else:
        _print(found)
    if found.differs:
        click.get_current_context().exit(DIFFERS)


def _print(found: Conversion) -> None:
    print_facts(
        {
            "model": found.source,
            "from": found.source_format,
            "to": found.format,
            **found.details,
            **{f"ops {when}": count for when, count in found.ops.items() if count is not None},
            **{f"bytes {what}": size for what, size in found.bytes.items()},
        }
    )
    if found.unchecked is None:
        rows = [(each.name, each.error, each.problem or "equal") for each in found.outputs]
        print_table(("output", "relative error", "result"), rows, "\nbefore and after")
    else:
        click.echo(f"\nnot compared: {found.unchecked}")
    for path in found.written:
        click.echo(f"wrote {path}")
