"""litebridge report: shows where each op runs, and why."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

from lite.io.load import load_program
from lite.ir.types import HOST, Array
from lite.session.predictor import Predictor, create_predictor
from lite.subgraph.report import PlacementReport
from lite.tools.analysis.shapes_of_run import fill_macs, op_macs, shapes_of_inputs, shapes_of_run
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
from lite.tools.terminal import print_json, print_table, print_text, progress, working


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
    has the graph, all ops with their reasons, and the times of the first run, which builds the models of
    the devices, and of later runs.  Inputs without --input are random; give --shape for open sizes.
    """
    with working("loading"):
        feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    settings = dict(passes=passes, threads=threads, input_shapes=shapes, **on.settings)
    config = model_config(model, params, **settings)
    page = page_of("report", config)
    with working("loading and optimising"):
        start = time.perf_counter()
        if html is None:
            predictor, optimized = create_predictor(config), None
        else:
            predictor, optimized = predictor_with_stages(config, page)
    times = _times(predictor, feeds, feed.levels, runs, start + page.seconds)
    placed = predictor.report()
    if any(op.macs is None for op in placed.ops):
        with working("counting"):
            loaded, inferred = shapes_of_inputs(load_program(config), shapes)
            seen = {**inferred, **shapes_of_run(predictor, feeds, feed.levels)}
        fill_macs(placed, [*op_macs(loaded, seen)])
    if html is not None and optimized is not None:
        with working("measuring ops"):
            placed = add_run(page, predictor, optimized, feeds, feed.levels)
            measured = predictor.profile(feeds, feed.levels, runs=max(runs, 1), warmup=0)
        page.set("timeline", timeline_part(measured))
        page.set("placement", placement_part(placed, times))
        write_page(page, html)
    if as_json:
        print_json({**placed.to_dict(), "times": times, "written": html})
        return
    print_report(placed)
    if html is not None:
        click.echo(f"\nwrote {html}")


def print_report(report: PlacementReport) -> None:
    """Print the shares of the host and of devices, the ops on the host with the reasons, and the regions."""
    unknown = sum(op.macs is None for op in report.ops)
    count = len(report.regions)
    print_text(f"{len(report.ops)} ops in {count} region{'s' * (count != 1)}")
    print_table(
        ("place", "ops %", "MACs %", "bytes written %"),
        [
            (place, *(round(100 * part, 1) for part in share.values()))
            for place, share in report.coverage.items()
        ],
    )
    for device, count, reason in report.pruned:
        print_text(f"pruned: {count} ops of {device}: {reason}", "  ")
    for device, count in report.fallbacks.items():
        first = next(region for region in report.regions if region.device == device and region.fell_back)
        total = sum(region.device == device for region in report.regions)
        print_text(f"the host answers for {count} of {total} regions of {device}: {first.reason}", "  ")
    for warning in report.warnings:
        print_text(f"warning: {warning}", "  ")
    if unknown:
        print_text(f"the multiply-accumulates of {unknown} ops are unknown: their sizes depend on data")
    reasons = Counter(
        (op.type, device, reason)
        for op in report.ops
        if op.placed_on == HOST and report.devices
        for device, reason in (op.why_not or {"-": "its region was given up"}).items()
    )
    if reasons:
        rows = [(count, *key) for key, count in reasons.items()]
        print_table(("on host", "op", "declined by", "why"), rows, "\nops on the host")
    if report.regions:
        print_table(
            ("region", "device", "ops", "inputs", "outputs", "bytes", "state", "reason"),
            [
                (
                    each.id,
                    each.device,
                    len(each.ops),
                    len(each.inputs),
                    len(each.outputs),
                    each.bytes,
                    each.state,
                    each.reason,
                )
                for each in report.regions
            ],
            "\nregions",
            drop=("outputs", "inputs", "bytes"),
        )


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
