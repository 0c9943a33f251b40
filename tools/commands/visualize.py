"""litebridge visualize: pictures of a model's graph."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from lite.load import load_program
from lite.predictor import optimize
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.pass_list import full_list
from lite.tools.pictures import new_pictures, pictures_in, with_pictures
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
@passes_option
@json_option
@debug_option
def visualize(
    model: Path,
    params: Path | None,
    output: Path,
    after: tuple[str, ...],
    optimized: bool,
    passes: list[str] | None,
    as_json: bool,
) -> None:
    """Draw MODEL as loaded and, if wanted, between and behind the passes.

    \b
    Examples:
      litebridge visualize model_dir -o pictures
      litebridge visualize model_dir -o pictures --optimized
      litebridge visualize model_dir -o pictures --after canonicalize_pass --after fc_fuse_pass

    Writes NUMBER_PASS.dot for each picture, called after the pass before it (start: the graph as
    loaded), and the same as .svg where Graphviz's program `dot` is installed.  Ops are yellow boxes,
    variables ellipses (grey: weights), a nested block is a coloured frame.  Prints the files written.
    """
    specs = with_pictures(full_list(passes), after, at_end=optimized)
    config = model_config(model, params, passes=specs, dot_dir=output)
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
    if shutil.which("dot") is None:
        click.echo("only .dot files: Graphviz's program `dot`, which draws them, is not installed", err=True)
