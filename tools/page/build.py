"""Makes a predictor and, on the way, the stages of its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

import lite
from lite.config import Config
from lite.io.load import load_program
from lite.ir.types import Array
from lite.session.build import Optimized, optimize
from lite.session.predictor import Predictor
from lite.subgraph.report import PlacementReport
from lite.tools.analysis.shapes_of_run import fill_macs, op_macs, shapes_of_inputs, shapes_of_run
from lite.tools.analysis.stopwatch import Lods
from lite.tools.options.values import F
from lite.tools.page.model_page import OPTIMIZED, ModelPage
from lite.tools.page.parts import memory_part, seen_part


def html_option(command: F) -> F:
    """--html, as `html`."""
    return click.option(
        "--html",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write all of it, and the graph, as one interactive page for any browser.",
    )(command)


def page_of(command: str, config: Config) -> ModelPage:
    """An empty page with the name of the Config's model; `command` is in its subtitle."""
    source = Path(config.model_dir or config.model_file or "model")
    devices = ", ".join(map(str, config.devices)) or "no device"
    threads = f"{config.threads} thread{'s' * (config.threads != 1)}"
    return ModelPage(source.resolve().name, f"litebridge {lite.__version__} {command}, {devices}, {threads}")


def predictor_with_stages(config: Config, page: ModelPage, prefix: str = "") -> tuple[Predictor, Optimized]:
    """A predictor, and its graph; the page gets the graph as loaded, after each change, and at the end.

    Stored plans are not used, because they have no graph.  Raises what `create_predictor` raises.
    """
    optimized = optimize(load_program(config), config, page.after_each(prefix))
    page.add(prefix + OPTIMIZED, optimized.graph)
    return Predictor(config, optimized.built(config)), optimized


def add_run(
    page: ModelPage, predictor: Predictor, optimized: Optimized, feeds: Mapping[str, Array], lods: Lods
) -> PlacementReport:
    """Run the model twice, and show the memory, the shapes of values and the work of ops.

    Returns the predictor's report, with the work of ops that have open sizes.
    """
    inputs = {name: array.shape for name, array in feeds.items()}
    loaded, inferred = shapes_of_inputs(optimized.program, inputs)
    shapes = {**inferred, **shapes_of_run(predictor, feeds, lods)}
    counted = [*op_macs(loaded, shapes), *op_macs(optimized.graph, shapes)]
    page.set("seen", seen_part(shapes, counted))
    predictor.run(feeds, lods=lods)
    page.set("memory", memory_part(predictor.memory()))
    report = predictor.report()
    fill_macs(report, counted)
    return report


def write_page(page: ModelPage, path: Path) -> None:
    """Write the page to a file; its folder is created if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.html(), encoding="utf-8")
