"""litebridge visualize: an interactive page and pictures of a model's graph."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path

import click

from lite.extras import missing
from lite.io.load import load_program
from lite.ir.graph import Graph
from lite.session.build import optimize
from lite.spec.grammar import Spec
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import check_listed, full_list, passes_option
from lite.tools.page.build import html_option, page_of, write_page
from lite.tools.page.model_page import OPTIMIZED
from lite.tools.page.parts import placement_part
from lite.tools.pictures import PICTURE, new_pictures, pictures_in, with_pictures
from lite.tools.terminal import print_json, progress, working

PAGE = "graph.html"

log = logging.getLogger(__name__)


@click.command(short_help="Show the graph of MODEL between passes.")
@model_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the page and the pictures; it is created if necessary.",
)
@html_option
@click.option("--after", multiple=True, metavar="PASS", help="Also draw the graph after this pass.")
@click.option(
    "--optimized",
    is_flag=True,
    help="Also write pictures of the graph after all passes; the page always has it.",
)
@click.option("--types", is_flag=True, help="Label the arrows of pictures with dtypes and shapes.")
@click.option("--no-attributes", is_flag=True, help="Show attributes only in the tooltips of pictures.")
@click.option(
    "--fold",
    multiple=True,
    metavar="BLOCK|prefix:NAME",
    help="Draw as one box in pictures: nested blocks of this name (block1, block*), or the ops that write "
    "variables with this prefix.",
)
@click.option(
    "--renderer",
    type=click.Choice(["auto", "dot", "none"]),
    default="auto",
    show_default=True,
    help="What draws the .svg: Graphviz's program `dot`, or nothing.  Without it, auto prints a note and "
    "dot a warning.",
)
@passes_option
@device_options
@json_option
@debug_option
def visualize(
    model: Path,
    params: Path | None,
    output: Path | None,
    html: Path | None,
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
    """Write the graph of MODEL as an interactive page and as pictures.

    \b
    Examples:
      litebridge visualize model_dir --html page.html
      litebridge visualize model_dir -o pictures
      litebridge visualize model_dir -o pictures --optimized
      litebridge visualize model_dir -o pictures \\
          --after canonicalize_pass --after fc_fuse_pass
      litebridge visualize model_dir -o pictures --types --renderer none
      litebridge visualize model_dir -o pictures \\
          --fold "block*" --fold prefix:layer3_

    Writes --html, or graph.html in the folder of -o, a page for any browser that needs neither a network
    nor another file.  It shows the graph as loaded, after each pass that changed it, and after all passes,
    two of them side by side if you like: search it, open and close nested graphs and repeated blocks,
    colour it by kind, device or element type, and select an op to see its attributes, inputs, outputs and
    place.  `litebridge report` and `litebridge profile` write the same page with the times and the memory
    of runs (--html).

    With -o also writes NUMBER_PASS.dot for the graph as loaded (start), after each pass of --after and, with
    --optimized, after all passes; and the same as .svg if Graphviz is installed.  Without the extra `dot`
    only the page is written.  In these pictures ops are yellow boxes, variables are ellipses, and
    nested blocks are coloured frames.  A graph with more than 3000 boxes is drawn in parts, and a drawing
    above 200 inches is scaled down.  Prints the names of the files.
    """
    if output is None and html is None:
        raise click.UsageError(
            "Missing option '--html' FILE, for a page, or '-o' DIR, for a page and pictures."
        )
    options = (
        ("svg", renderer != "none"),
        ("renderer", "dot" if renderer == "dot" else "auto"),
        ("types", types),
        ("attributes", not no_attributes),
        ("fold", fold),
    )
    listed = full_list(passes)
    specs = listed
    if output is not None and importlib.util.find_spec("graphviz") is None:
        log.info("only the page is written: %s", missing("graphviz", "dot", "writing pictures of graphs"))
    elif output is not None:
        specs = with_pictures(listed, after, at_end=optimized, picture=str(Spec(PICTURE, options)))
    config = model_config(model, params, passes=specs, dot_dir=output, **on.settings)
    with working("reading"):
        program = load_program(config)
    page, old = page_of("visualize", config), pictures_in(output) if output else {}
    add = page.after_each(always=check_listed(after, listed))

    def show(name: str, graph: Graph, number: int, seconds: float, changed: bool) -> None:
        advance()
        if name != PICTURE:
            add(name, graph, number, seconds, changed)

    with progress(len(specs), "drawing") as advance:
        final = optimize(program, config, show)
    page.add(OPTIMIZED, final.graph)
    if on.settings["devices"]:
        page.set("placement", placement_part(final.context.results.placed))
    written = new_pictures(output, old) if output else []
    pages = [path for path in (html, output / PAGE if output and not html else None) if path]
    for path in pages:
        write_page(page, path)
    written += pages
    if as_json:
        print_json({"written": written})
        return
    for path in written:
        click.echo(f"wrote {path}")
