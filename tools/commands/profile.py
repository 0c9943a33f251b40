"""litebridge profile: measures the time of each op of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from lite.runtime.observe.profile import OP_COLUMNS, OpProfile, Profile, op_row
from lite.session.predictor import create_predictor
from lite.tools.analysis.kernels_of_run import compile_kernels
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option, write_file
from lite.tools.options.passes import passes_option
from lite.tools.options.runs import threads_option
from lite.tools.options.values import count_option
from lite.tools.page.build import add_run, html_option, page_of, predictor_with_stages, write_page
from lite.tools.page.parts import placement_part, timeline_part
from lite.tools.terminal import print_json, print_table, print_text, working


@click.command(short_help="Measure the time of each op of MODEL.")
@model_argument
@feed_options
@count_option("--runs", "Time N runs.", default=10)
@count_option("--warmup", "Start with N runs that do not count.", default=2, minimum=0)
@click.option(
    "--by",
    type=click.Choice(["op", "type"]),
    default="op",
    show_default=True,
    help="Print one line per op in running order, or one per op type.",
)
@count_option("--top", "Print only the N slowest lines, the slowest first.")
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Write all calls of kernels for chrome://tracing or ui.perfetto.dev.",
)
@html_option
@threads_option
@passes_option
@device_options
@json_option
@debug_option
def profile(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    runs: int,
    warmup: int,
    by: str,
    top: int | None,
    trace: Path | None,
    html: Path | None,
    threads: int,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Run MODEL and measure the time of each op.

    \b
    Examples:
      litebridge profile model_dir --shape x=2,4
      litebridge profile model_dir --shape x=2,4 --by type --runs 50
      litebridge profile model_dir --input x=x.npy --top 3 --trace trace.json
      litebridge profile model_dir --shape x=2,4 --html page.html

    Shows the calls and milliseconds of all runs, the share of the time of all ops, and the bytes that one
    call reads and writes (0 for a view).  The ops of a loop or branch are indented below it; its times
    include theirs, and its share does not.  Ops that do no work in a run are left out: constants, views
    that never change, branches that are not taken.  The last line compares the time of the ops with the
    wall clock.  Inputs without --input are random; give --shape for open sizes.
    """
    config = model_config(model, params, passes=passes, threads=threads, **on.settings)
    page = page_of("profile", config)
    with working("loading and optimising"):
        if html is None:
            predictor, optimized = create_predictor(config), None
        else:
            predictor, optimized = predictor_with_stages(config, page)
    feeds = feed.arrays(predictor)
    compile_kernels(predictor, feeds)
    with working("running"):
        measured = predictor.profile(feeds, feed.levels, runs=runs, warmup=warmup)
    if html is not None and optimized is not None:
        with working("running"):
            placed = add_run(page, predictor, optimized, feeds, feed.levels)
        page.set("placement", placement_part(placed))
        page.set("timeline", timeline_part(measured))
        write_page(page, html)
    if trace is not None:
        write_file(trace, json.dumps(measured.chrome_trace()))
    written = [path for path in (trace, html) if path is not None]
    if as_json:
        print_json({**measured.to_dict(), "written": written})
        return
    if by == "type":
        _print_types(measured, top)
    else:
        print_table(
            OP_COLUMNS,
            [op_row(row) for row in _chosen(measured, top)],
            "ops",
            drop=("shapes", "bytes", "min ms", "max ms", "place", "avg ms", "calls"),
        )
    click.echo()
    print_text(measured.summary)
    for path in written:
        click.echo(f"wrote {path}")


def _chosen(measured: Profile, top: int | None) -> Sequence[OpProfile]:
    ran = [row for row in measured.ops if row.calls]
    return ran if top is None else sorted(ran, key=lambda row: -row.self_ms)[:top]


def _print_types(measured: Profile, top: int | None) -> None:
    print_table(
        ("type", "place", "ops", "calls", "total ms", "avg ms", "share %"),
        [
            (
                row.op,
                row.place,
                row.ops,
                row.calls,
                round(row.self_ms, 4),
                round(row.avg_ms, 4),
                round(100 * row.share, 2),
            )
            for row in measured.by_type()[:top]
        ],
        "op types",
    )
