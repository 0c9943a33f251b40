"""litebridge tune: measures ops, regions and whole placements of a model, for placement by cost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from lite.config import Config
from lite.ir.types import HOST, Array
from lite.session.predictor import create_predictor
from lite.spec.grammar import split_specs
from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts
from lite.subgraph.report import MeasuredPlacement
from lite.subgraph.tuned_placements import TUNED_FILE, TunedPlacements
from lite.tools.analysis.op_costs import CostMeter, OpCost
from lite.tools.analysis.plan_tuning import PlanTuner
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option, write_file
from lite.tools.options.runs import threads_option
from lite.tools.terminal import counting, print_json, print_table, print_text, progress, working
from lite.trusted_folder import TrustedFolder


@click.command(short_help="Find the fastest placement of MODEL, for --placement cost.")
@model_argument
@feed_options
@click.option(
    "-d",
    "--device",
    "--devices",
    "devices",
    required=True,
    multiple=True,
    metavar="NAME{KEY=VALUE}",
    help="Measure on this device.  Give several devices separated by commas or with further options.",
)
@threads_option
@click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help=f"Store the times of ops in DIR/{COSTS_FILE}, those of regions and placements in DIR/{TUNED_FILE}.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also save the fastest placement in FILE, for --plan.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Start no further measurement of a region or placement after this time.",
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
    save: Path | None,
    budget: float,
    as_json: bool,
) -> None:
    """Find the fastest placement of MODEL on the host and these devices, by measuring.

    \b
    Examples:
      litebridge tune model_dir --shape x=2,4 --device sim_npu \\
          --cache-dir model_cache
      litebridge tune model_dir --input x=x.npy --device sim_npu \\
          --cache-dir costs --json
      litebridge tune model_dir --shape x=2,4 --device sim_npu \\
          --cache-dir costs --save fast.json

    First each op is measured alone on each place; ops with equal types, attributes and shapes are measured
    once.  Times of single ops do not add up where devices fuse ops.  So ranges of ops are then measured
    whole, and placements of the model run beside each other: the host alone, each device, several devices
    in each order and by each rule of placement, the fastest division into ranges, and the fastest of all
    with regions moved to other places.  A mixed placement must be 2 % faster than every single device, or
    it is dropped.

    The results are added to those in DIR, which may be of other models, devices, options and numbers of
    threads; models share the times of equal regions.  Other commands, and Config(placement="cost"), use
    them with --placement cost and the same --cache-dir.  With --save, FILE gets the placement for these
    shapes, for --plan FILE or Config(plan="FILE").
    """
    names = [name for text in devices for name in split_specs(text)]
    with working("loading"):
        feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(
        model, params, devices=names, threads=threads, input_shapes=shapes, fallback="error"
    )
    with working("optimising"):
        meter = CostMeter(config, feeds)
    with progress(meter.ops, "measuring") as advance:
        measured = meter.measure(advance)
    costs = meter.merged(measured, MeasuredCosts.read(cache_dir / COSTS_FILE))
    tuned = TunedPlacements.read(cache_dir / TUNED_FILE) or TunedPlacements()
    with TrustedFolder(cache_dir, create=True) as folder:
        folder.write(COSTS_FILE, [costs.to_json().encode()])
        config = replace(config, cache_dir=cache_dir)
        table = _tuned(config, feeds, feed, budget, tuned, save)
        folder.write(TUNED_FILE, [tuned.to_json().encode()])
    places = list(meter.places)
    written = [path for path in (cache_dir / COSTS_FILE, cache_dir / TUNED_FILE, save) if path is not None]
    if as_json:
        ops = [{"op": c.op, "name": c.name, "count": c.count, "seconds": c.seconds} for c in measured]
        print_json(
            {"places": meter.places, "ops": ops, "placements": list(map(asdict, table)), "written": written}
        )
        return
    print_table(("op", "count", *(f"{place} (us)" for place in places)), _rows(measured, places))
    rows = [
        (
            each.name,
            each.regions,
            None if each.seconds is None else each.seconds * 1e3,
            each.chosen,
            each.note,
        )
        for each in table
    ]
    print_table(("placement", "regions", "ms", "chosen", "not measured"), rows, "\nwhole runs")
    click.echo()
    for path in written:
        click.echo(f"wrote {path}")
    plan = "" if save is None else f" or --plan {save}"
    print_text(f"to use it, run commands with --placement cost --cache-dir {cache_dir}{plan}")


def _tuned(
    config: Config,
    feeds: Mapping[str, Array],
    feed: FeedOptions,
    budget: float,
    tuned: TunedPlacements,
    save: Path | None,
) -> list[MeasuredPlacement]:
    """Tune the model for these shapes, and with open shapes where its graph is another; save the first."""
    with working("optimising"):
        open_shapes = PlanTuner(replace(config, input_shapes={}), feeds, feed.levels, budget / 2, tuned)
        tuner = PlanTuner(config, feeds, feed.levels, budget / 2, tuned)
    start = time.perf_counter()
    with counting("trying placements") as show:

        def advance() -> None:
            if show is not None:
                show(min(int(time.perf_counter() - start), round(budget)), round(budget))

        best = tuner.run(advance)
        tuner.enter(best)
        if open_shapes.key != tuner.key:
            open_shapes.enter(open_shapes.run(advance))
    if save is not None:
        write_file(save, best.plan.to_json())
    return tuner.table(best)


def _rows(measured: Sequence[OpCost], places: Sequence[str]) -> list[tuple[object, ...]]:
    """A row per op type, the slowest on the host first: its occurrences and their total time by place."""
    rows: list[tuple[object, ...]] = []
    for op in dict.fromkeys(cost.op for cost in measured):
        same_type = [cost for cost in measured if cost.op == op]
        times = [_total(same_type, place) for place in places]
        rows.append((op, sum(cost.count for cost in same_type), *times))
    host = 2 + places.index(HOST)
    return sorted(rows, key=lambda row: -float(str(row[host] or 0)))


def _total(costs: Sequence[OpCost], place: str) -> float | None:
    """The total microseconds, or None if an op was not measured on this place."""
    if any(place not in cost.seconds for cost in costs):
        return None
    return round(1e6 * sum(cost.count * cost.seconds[place] for cost in costs), 1)
