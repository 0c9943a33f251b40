"""litebridge report: shows where each op runs, and why."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from pathlib import Path

import click

from lite.ir.types import Array
from lite.session.predictor import Predictor, create_predictor
from lite.tools.analysis.stopwatch import Lods
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import passes_option
from lite.tools.options.runs import threads_option
from lite.tools.options.values import count_option
from lite.tools.page.build import add_run, html_option, page_of, predictor_with_stages, write_page
from lite.tools.page.parts import Times, placement_part, timeline_part
from lite.tools.terminal import print_json, progress


@click.command(short_help="Show where each op of MODEL runs, and why.")
@model_argument
@feed_options
@passes_option
@device_options
@threads_option
@count_option("--runs", "Run N more times after the first run.", default=5, minimum=0)
@html_option
@json_option
@debug_option
def report(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    passes: list[str] | None,
    on: DeviceOptions,
    threads: int,
    runs: int,
    html: Path | None,
    as_json: bool,
) -> None:
    """Place the ops of MODEL on devices, run it, and show where each op runs and why.

    \b
    Examples:
      litebridge report model_dir --shape x=2,4
      litebridge report model_dir --shape x=2,4 --device sim_npu --html page.html

    Prints each device's share of the ops and of the multiply-accumulates (MACs), the reason for each op
    that stays on the host, and the regions with their inputs, outputs and state.  The page of --html also
    has all ops with their reasons, the time of the first run, which builds the models of the devices, the
    time of later runs, and the graph.  Inputs without --input are random; give --shape for open sizes.
    """
    feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    settings = dict(passes=passes, threads=threads, input_shapes=shapes, **on.settings)
    config = model_config(model, params, **settings)
    page = page_of("report", config)
    start = time.perf_counter()
    if html is None:
        predictor, optimized = create_predictor(config), None
    else:
        predictor, optimized = predictor_with_stages(config, page)
    times = _times(predictor, feeds, feed.levels, runs, start + page.seconds)
    placed = predictor.report()
    if html is not None and optimized is not None:
        placed = add_run(page, predictor, optimized, feeds, feed.levels)
        measured = predictor.profile(feeds, feed.levels, runs=max(runs, 1), warmup=0)
        page.set("timeline", timeline_part(measured))
        page.set("placement", placement_part(placed, times))
        write_page(page, html)
    if as_json:
        print_json({**placed.to_dict(), "times": times, "written": html})
        return
    click.echo(str(placed))
    if html is not None:
        click.echo(f"\nwrote {html}")


def _times(predictor: Predictor, feeds: Mapping[str, Array], lods: Lods, runs: int, start: float) -> Times:
    load = time.perf_counter() - start
    seconds: list[float] = []
    with progress(runs + 1, "running") as advance:
        for _ in range(runs + 1):
            begin = time.perf_counter()
            predictor.run(feeds, lods=lods)
            seconds.append(time.perf_counter() - begin)
            advance()
    warm = statistics.median(seconds[1:]) * 1e3 if runs else None
    return Times(load * 1e3, seconds[0] * 1e3, warm, runs)
