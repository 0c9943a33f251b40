"""litebridge stats: shows the range of each value, and NaN and Inf."""

from __future__ import annotations

from pathlib import Path

import click

from lite.runtime.observe.value_statistics import STATISTICS_COLUMNS, table_row
from lite.session.predictor import create_predictor
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import passes_option
from lite.tools.terminal import print_json, print_table, print_text, working


@click.command(short_help="Show the range, NaN and Inf of each value of MODEL.")
@model_argument
@feed_options
@click.option("--bad", is_flag=True, help="Show only values that contain NaN or Inf.")
@passes_option
@device_options
@json_option
@debug_option
def stats(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    bad: bool,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Run MODEL once, and show statistics of the elements of each value.

    \b
    Examples:
      litebridge stats model_dir --shape x=2,4
      litebridge stats model_dir --input x=x.npy --bad
      litebridge stats model_dir --input x=x.npy -p "" --json

    Shows the min, max and mean of the finite elements, the fraction of zeros, and the number of NaN and
    Inf.  If a loop writes a value N times, its name ends in ×N, and all N are counted.  The last line names
    the first op that produces NaN or Inf from finite inputs, or the input or weight that contains them.
    With -p "", no op is fused.  Inputs without --input are random; give --shape for open sizes.
    """
    with working("running"):
        predictor = create_predictor(model_config(model, params, passes=passes, **on.settings))
        statistics = predictor.statistics(feed.arrays(predictor), feed.levels)
    values = [value for value in statistics.values if not (bad and value.summary.is_finite)]
    if as_json:
        print_json({**statistics.to_dict(), "values": [value.to_dict() for value in values]})
        return
    print_table(
        STATISTICS_COLUMNS,
        [table_row(value) for value in values],
        "values",
        drop=("zeros", "dtype", "mean", "op", "type"),
    )
    click.echo()
    print_text(statistics.sentence)
