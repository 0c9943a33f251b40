"""litebridge profile: how long each op of a model takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from lite.runtime.observe.profile import OP_COLUMNS, OpProfile, Profile, op_row
from lite.session.predictor import create_predictor
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.terminal import print_json, print_table


@click.command(short_help="Show how long each op of MODEL takes.")
@model_argument
@feed_options
@click.option(
    "--runs", type=click.IntRange(min=1), default=10, show_default=True, help="How many runs to time."
)
@click.option("--warmup", type=click.IntRange(min=0), default=2, show_default=True, help="Runs before those.")
@click.option(
    "--by",
    type=click.Choice(["op", "type"]),
    default="op",
    show_default=True,
    help="One line per op in running order, or per op type.",
)
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Only the N lines that take most, the first first."
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Write every call for chrome://tracing or ui.perfetto.dev.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Most cores that a run uses."
)
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
    threads: int,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Run MODEL with a clock around each op.

    \b
    Examples:
      litebridge profile model_dir --shape x=2,4
      litebridge profile model_dir --shape x=2,4 --by type --runs 50
      litebridge profile model_dir --input x=x.npy --top 3 --trace trace.json

    Shows calls and milliseconds over all runs, the share in the time of all ops, and the bytes that a
    call reads and writes (0: a view).  Ops of a loop or branch stand indented below it; its share is
    without them, its times are with them.  Left out are ops that had nothing to do: computed before
    the run, views that never change, branches not taken.  The last line holds the ops against the
    wall clock.  Inputs as for `litebridge run`.
    """
    predictor = create_predictor(model_config(model, params, passes=passes, threads=threads, **on.settings))
    feeds = feed.arrays(predictor)
    found = predictor.profile(feeds, feed.levels, runs=runs, warmup=warmup)
    if trace is not None:
        trace.write_text(json.dumps(found.chrome_trace()), encoding="utf-8")
    if as_json:
        print_json({**found.to_dict(), "written": [] if trace is None else [trace]})
        return
    if by == "type":
        _print_types(found, top)
    else:
        print_table(OP_COLUMNS, [op_row(row) for row in _chosen(found, top)], "ops")
    click.echo(f"\n{found.summary}")
    if trace is not None:
        click.echo(f"wrote {trace}")


def _chosen(found: Profile, top: int | None) -> Sequence[OpProfile]:
    ran = [row for row in found.ops if row.calls]
    return ran if top is None else sorted(ran, key=lambda row: -row.self_ms)[:top]


def _print_types(found: Profile, top: int | None) -> None:
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
            for row in found.by_type()[:top]
        ],
        "op types",
    )
