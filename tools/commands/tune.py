"""litebridge tune: measures the times of ops on devices and on the host, for placement by cost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from lite.config import Config
from lite.ir.types import HOST, Array
from lite.session.predictor import create_predictor
from lite.spec.grammar import split_specs
from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts
from lite.tools.analysis.op_costs import CostMeter, OpCost
from lite.tools.analysis.plan_tuning import PlanTuner
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.runs import threads_option
from lite.tools.terminal import counting, print_json, print_table, progress
from lite.trusted_folder import TrustedFolder


@click.command(short_help="Measure the ops of MODEL for --placement cost.")
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
    help=f"Store the times in DIR/{COSTS_FILE}.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also run MODEL in many placements, and save the fastest one in FILE.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Start no further placement after this time.",
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
    """Measure each op of MODEL on the host and on each device that supports it, and store the times.

    \b
    Examples:
      litebridge tune model_dir --shape x=2,4 --device sim_npu \\
          --cache-dir model_cache
      litebridge tune model_dir --input x=x.npy --device sim_npu \\
          --cache-dir costs --json
      litebridge tune model_dir --shape x=2,4 --device sim_npu \\
          --cache-dir costs --save fast.json

    The times are added to costs.json in DIR, which may have times of other models, devices, options and
    numbers of threads.  Other commands use them with --placement cost and the same --cache-dir: they assign
    the ops so that the whole model is fastest, including the time to move data between places, and leave
    an op to the host if the host is faster.  Ops with equal types, attributes and shapes are measured once.

    Times of single ops do not add up where devices fuse ops.  With --save, whole placements run beside each
    other: the host alone, each device, several devices in each order and by each rule of placement, and the
    fastest one with regions moved to other places.  FILE gets the fastest; a mixed placement must be 2 %
    faster than every single device.  Use it as Config(plan="FILE") or --plan FILE.
    """
    names = [name for text in devices for name in split_specs(text)]
    feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(
        model, params, devices=names, threads=threads, input_shapes=shapes, fallback="error"
    )
    meter = CostMeter(config, feeds)
    with progress(meter.ops, "measuring") as advance:
        measured = meter.measure(advance)
    path = cache_dir / COSTS_FILE
    costs = meter.merged(measured, MeasuredCosts.read(path))
    with TrustedFolder(cache_dir, create=True) as folder:
        folder.write(COSTS_FILE, [costs.to_json().encode()])
    places = list(meter.places)
    tuned = None if save is None else _tuned(config, cache_dir, feeds, feed, budget, save)
    if as_json:
        ops = [{"op": c.op, "name": c.name, "count": c.count, "seconds": c.seconds} for c in measured]
        print_json({"places": meter.places, "ops": ops, "written": path, "plan": tuned})
        return
    print_table(("op", "count", *(f"{place} (us)" for place in places)), _rows(measured, places))
    click.echo(f"\nwrote {path}; to use it, run commands with --placement cost --cache-dir {cache_dir}")
    if tuned is not None:
        rows = [tuple(each.values()) for each in tuned["alternatives"]]
        print_table(("placement", "regions", "ms", "chosen", "not measured"), rows, "\nwhole runs")
        click.echo(f"\nwrote {save}; to use it, run commands with --plan {save}")


def _tuned(
    config: Config, cache_dir: Path, feeds: Mapping[str, Array], feed: FeedOptions, budget: float, save: Path
) -> dict[str, Any]:
    """Save the fastest placement; the alternatives, fastest first."""
    tuner = PlanTuner(replace(config, cache_dir=cache_dir, fallback="warn"), feeds, feed.levels, budget)
    start = time.perf_counter()
    with counting("trying placements") as show:

        def advance() -> None:
            if show is not None:
                show(min(int(time.perf_counter() - start), round(budget)), round(budget))

        best = tuner.run(advance)
    save.write_text(best.plan.to_json(), encoding="utf-8")
    measured = sorted(tuner.alternatives, key=lambda each: (each.seconds is None, each.seconds))
    alternatives = [
        {
            "name": each.name,
            "regions": len(each.plan.regions),
            "ms": None if each.seconds is None else each.seconds * 1e3,
            "chosen": each is best,
            "error": each.error,
        }
        for each in measured
    ]
    return {"alternatives": alternatives, "written": save}


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
