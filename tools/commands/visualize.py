"""litebridge visualize: pictures of a model's graph."""

from __future__ import annotations

from pathlib import Path

import click

from lite.io.load import load_program
from lite.session.build import optimize
from lite.spec.grammar import Spec
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.pass_list import full_list
from lite.tools.pictures import PICTURE, new_pictures, pictures_in, with_pictures
from lite.tools.terminal import print_json, progress


@click.command(short_help="Draw the graph of MODEL between passes.")
@model_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    help="Where the pictures go; made if it is not there.",
)
@click.option("--after", multiple=True, metavar="PASS", help="Also draw the graph as this pass leaves it.")
@click.option("--optimized", is_flag=True, help="Also draw the graph behind all passes.")
@click.option("--types", is_flag=True, help="Write dtypes and shapes at the arrows.")
@click.option("--no-attributes", is_flag=True, help="Leave attributes to the tooltips.")
@click.option(
    "--fold",
    multiple=True,
    metavar="BLOCK|prefix:NAME",
    help="Show as one box: nested blocks of this name (block1, block*), or the ops that write variables "
    "whose names begin so.",
)
@click.option(
    "--renderer",
    type=click.Choice(["auto", "dot", "embedded"]),
    default="auto",
    show_default=True,
    help="Who draws the .svg: Graphviz's program `dot`, the renderer that needs nothing, or the first "
    "where it is installed.",
)
@passes_option
@device_options
@json_option
@debug_option
def visualize(
    model: Path,
    params: Path | None,
    output: Path,
    after: tuple[str, ...],
    optimized: bool,
    types: bool,
    no_attributes: bool,
    fold: tuple[str, ...],
    renderer: str,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Draw MODEL as loaded and, if wanted, between and behind the passes.

    \b
    Examples:
      litebridge visualize model_dir -o pictures
      litebridge visualize model_dir -o pictures --optimized
      litebridge visualize model_dir -o pictures --after canonicalize_pass --after fc_fuse_pass
      litebridge visualize model_dir -o pictures --types --no-attributes --renderer embedded
      litebridge visualize model_dir -o pictures --fold "block*" --fold prefix:layer3_

    Writes NUMBER_PASS.dot for each picture, called after the pass before it (start: the graph as
    loaded), and the same as .svg, which a browser shows, with tooltips.  Ops are yellow boxes,
    variables ellipses, a nested block is a coloured frame; the picture's legend says the rest.
    Very large graphs are not drawn, only written as .dot.  Prints the files written.
    """
    options = (("renderer", renderer), ("types", types), ("attributes", not no_attributes), ("fold", fold))
    picture = str(Spec(PICTURE, options))
    specs = with_pictures(full_list(passes), after, at_end=optimized, picture=picture)
    config = model_config(model, params, passes=specs, dot_dir=output, **on.settings)
    program = load_program(config)
    old = pictures_in(output)
    with progress(len(specs), "drawing") as advance:
        optimize(program, config, lambda *_: advance())
    written = new_pictures(output, old)
    if as_json:
        print_json({"written": written})
        return
    for path in written:
        click.echo(f"wrote {path}")
