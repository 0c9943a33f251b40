"""litebridge tune: what ops take on devices and on the host, for placement by cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lite.atomic_file import write_atomically
from lite.ir.types import HOST
from lite.session.predictor import create_predictor
from lite.spec.grammar import split_specs
from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.op_costs import CostMeter, OpCost
from lite.tools.parameters import debug_option, json_option, model_argument, model_config
from lite.tools.terminal import print_json, print_table, progress


@click.command(short_help="Measure the ops of MODEL on devices, for --placement cost.")
@model_argument
@feed_options
@click.option(
    "-d", "--device", "--devices", "devices", required=True, multiple=True, metavar="NAME{KEY=VALUE}",
    help="A device to measure; several with commas or by giving the option again.",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Most cores.")
@click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help=f"Where {COSTS_FILE} is kept, beside compiled models.",
)
@json_option
@debug_option
def tune(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    devices: tuple[str, ...],
    threads: int,
    cache_dir: Path,
    as_json: bool,
) -> None:
    """Measure each op of MODEL once on every device that takes it and on the host, and keep the times.

    \b
    Examples:
      litebridge tune model_dir --shape x=2,4 --devices sim_npu --cache-dir model_cache
      litebridge tune model_dir --input x=x.npy --device sim_npu --cache-dir costs --json

    The times go to costs.json in DIR, beside those of other models, devices, options and numbers of
    threads.  With --placement cost and the same --cache-dir, `litebridge run` and all others give each op
    to the device that makes the whole fastest, bytes over the boundaries counted, and leave to the host
    what it does faster.  An op with the same attributes and shapes is measured once.
    """
    names = [name for text in devices for name in split_specs(text)]
    feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(
        model, params, devices=names, threads=threads, input_shapes=shapes, fallback="error"
    )
    meter = CostMeter(config, feeds)
    with progress(meter.ops, "measuring") as advance:
        found = meter.measure(advance)
    path = cache_dir / COSTS_FILE
    costs = meter.costs(found, MeasuredCosts.read(path))
    cache_dir.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [costs.to_json().encode()])
    places = list(meter.places)
    if as_json:
        ops = [{"op": c.op, "name": c.name, "count": c.count, "seconds": c.seconds} for c in found]
        print_json({"places": meter.places, "ops": ops, "written": path})
        return
    print_table(("op", "count", *(f"{place} (us)" for place in places)), _rows(found, places))
    click.echo(f"\nwrote {path}; use it with --placement cost --cache-dir {cache_dir}")


def _rows(found: Sequence[OpCost], places: Sequence[str]) -> list[tuple[object, ...]]:
    """For each op type how often it stands in the model, and what all of them take; the slowest first."""
    rows: list[tuple[object, ...]] = []
    for op in dict.fromkeys(cost.op for cost in found):
        own = [cost for cost in found if cost.op == op]
        times = [_total(own, place) for place in places]
        rows.append((op, sum(cost.count for cost in own), *times))
    host = 2 + places.index(HOST)
    return sorted(rows, key=lambda row: -float(str(row[host] or 0)))


def _total(costs: Sequence[OpCost], place: str) -> float | None:
    """Microseconds; None where one of them was not measured there."""
    if any(place not in cost.seconds for cost in costs):
        return None
    return round(1e6 * sum(cost.count * cost.seconds[place] for cost in costs), 1)
