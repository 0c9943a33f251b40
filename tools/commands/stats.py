"""litebridge stats: what the elements of every value are like."""

from __future__ import annotations

from pathlib import Path

import click

from lite.runtime.observe.value_statistics import STATISTICS_COLUMNS, table_row
from lite.session.predictor import create_predictor
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.terminal import print_json, print_table


@click.command(short_help="Show range, NaN and Inf of every value of MODEL.")
@model_argument
@feed_options
@click.option("--bad", is_flag=True, help="Only values with a NaN or an infinity.")
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
    """Run MODEL once and look at every value when it is written.

    \b
    Examples:
      litebridge stats model_dir --shape x=2,4
      litebridge stats model_dir --input x=x.npy --bad
      litebridge stats model_dir --input x=x.npy -p "" --json

    Shows min, max and mean of the finite elements, the share of zeros, and how many are NaN or
    infinite; × says how often a loop wrote a value, all of which are counted.  The last line names
    the first op that makes NaN or Inf although all that it reads is finite, or the input or weight
    that has them already.  Inputs as for `litebridge run`; -p "" looks at the model without fusions.
    """
    predictor = create_predictor(model_config(model, params, passes=passes, **on.settings))
    found = predictor.statistics(feed.arrays(predictor), feed.levels)
    values = [value for value in found.values if not (bad and value.summary.is_finite)]
    if as_json:
        print_json({**found.to_dict(), "values": [value.to_dict() for value in values]})
        return
    print_table(STATISTICS_COLUMNS, [table_row(value) for value in values], "values")
    click.echo(f"\n{found.sentence}")
