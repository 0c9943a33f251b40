"""litebridge what-if: shows what would change if a device supported more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from lite.errors import LiteError
from lite.session.predictor import create_predictor
from lite.subgraph.assumptions import Assumption
from lite.subgraph.measured_costs import MeasuredCosts
from lite.tools.analysis.model_folder import models_in
from lite.tools.analysis.op_costs import CostMeter
from lite.tools.analysis.road_map import Item, Model, road_map, road_map_page
from lite.tools.analysis.what_if import Placed, WhatIf
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option, write_file
from lite.tools.options.runs import threads_option
from lite.tools.terminal import print_json, print_table, progress


@click.command("what-if", short_help="Show what would change if a device supported more ops.")
@model_argument
@feed_options
@device_options
@threads_option
@click.option(
    "--assume",
    "assumed",
    multiple=True,
    metavar="OP[: REASON]",
    help="Assume that the devices take these ops, or only those that they decline with this part of a "
    "sentence, and show what that changes.  May be repeated; OP may have wildcards.",
)
@click.option("--time", "timed", is_flag=True, help="Measure each op, and show the expected time of a run.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the table as a page.",
)
@json_option
@debug_option
def what_if(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    on: DeviceOptions,
    threads: int,
    assumed: tuple[str, ...],
    timed: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show which ops, attributes and shapes a device would have to support to run more of MODEL.

    \b
    Examples:
      litebridge what-if model_dir --shape x=2,4 --device sim_npu
      litebridge what-if model_dir --device sim_npu --assume softmax
      litebridge what-if zoo --device sim_npu --html road_map.html

    A row of the table is one thing that the device declines: an op without a bridge, or a reason for which a
    bridge declines some ops.  It shows the regions, the share of the ops and multiply-accumulates (MACs) on
    the device and the bytes that cross the boundaries of regions, now and if the device took these ops.  The
    ops are placed again for each row, by the same rules as in a run; nothing is compiled.  The first rows
    bring most.  The last row takes all of it together.

    MODEL may be a folder of models: the table then has the sums over all of them, which is a road map for the
    author of a device.  Sizes that are left open count no MACs and bytes: give --shape, which applies to all
    models with an input of that name.

    With --time, each op is measured alone on the host and on the devices.  An op that a device does not run
    yet is expected to take the host's time, multiplied by the ratio of all ops that both run.  The sum is no
    measurement of a run: it has no fusions.
    """
    assumptions = [Assumption.parse(text) for text in assumed]
    models: list[Model] = []
    skipped: dict[str, str] = {}
    paths = models_in(model)
    with progress(len(paths), "placing") as advance:
        for path in paths:
            name = str(path.relative_to(model)) if path != model else path.resolve().name
            try:
                analysis = _analysis(path, params, feed, {"threads": threads, **on.settings}, timed)
                models.append(Model.of(name, analysis, assumptions))
            except LiteError as error:
                if len(paths) == 1:
                    raise
                skipped[name] = str(error).splitlines()[0]
            advance()
    items = road_map(models)
    if html is not None:
        write_file(html, road_map_page(model.resolve().name, models, items, skipped))
    if as_json:
        print_json({"models": models, "items": items, "skipped": skipped, "written": html})
        return
    _print(models, items, skipped)
    if html is not None:
        click.echo(f"\nwrote {html}")


def _analysis(
    path: Path, params: Path | None, feed: FeedOptions, settings: Mapping[str, object], timed: bool
) -> WhatIf:
    inputs = create_predictor(model_config(path, params, passes=[])) if timed or feed.shapes else None
    shapes = {name: shape for name, shape in feed.shapes if inputs and name in inputs.input_names}
    costs: MeasuredCosts | None = None
    if timed and inputs is not None:
        feeds = feed.arrays(inputs)
        shapes = {name: array.shape for name, array in feeds.items()}
        meter = CostMeter(model_config(path, params, input_shapes=shapes, **settings), feeds)
        with progress(meter.ops, f"measuring {path.name}") as advance:
            costs = meter.merged(meter.measure(advance), None)
    return WhatIf(model_config(path, params, input_shapes=shapes, **settings), costs)


def _print(models: Sequence[Model], items: Sequence[Item], skipped: Mapping[str, str]) -> None:
    many = len(models) > 1
    timed = any(each.before.seconds is not None for each in models)
    columns = ["if the device took", "ops", "regions", "ops there", "MACs there", "boundary bytes"]
    columns += (["expected ms"] if timed else []) + (["models"] if many else [])
    rows = []
    for item in items:
        row: list[object] = [item.assumption, item.count, *_changes(item.before, item.after)]
        row += [_change(_ms(item.before), _ms(item.after))] if timed else []
        rows.append(row + ([len(item.models)] if many else []))
    if rows or not models:
        print_table(columns, rows)
    else:
        click.echo("the devices decline no op")
    for name, reason in skipped.items():
        click.echo(f"skipped {name}: {reason}")


def _changes(before: Placed, after: Placed) -> list[str]:
    return [
        _change(str(before.regions), str(after.regions)),
        _change(f"{before.ops:.1%}", f"{after.ops:.1%}"),
        _change(f"{before.macs:.1%}", f"{after.macs:.1%}"),
        _change(_size(before.bytes), _size(after.bytes)),
    ]


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"


def _size(size: int | None) -> str:
    return "?" if size is None else f"{size:,}"


def _ms(placed: Placed) -> str:
    return "?" if placed.seconds is None else f"{placed.seconds * 1e3:.4g}"
