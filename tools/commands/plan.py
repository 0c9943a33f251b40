"""litebridge plan: saves where the ops of a model run, and compares saved plans."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from pathlib import Path

import click

from lite.config import Config
from lite.errors import ConfigError, suggest
from lite.ir.types import Array
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Settings
from lite.session.devices import open_in_its_process
from lite.session.predictor import Predictor, create_predictor
from lite.subgraph.plan_diff import CHECKS, PlanDiff, markdown, plan_diff
from lite.subgraph.saved_plan import SavedDevice, SavedPlan
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option, write_file
from lite.tools.options.passes import passes_option
from lite.tools.options.runs import threads_option
from lite.tools.options.values import count_option
from lite.tools.terminal import print_json, print_table, progress, working


class _SaveByDefault(click.Group):
    """Runs `show` where the first argument is not a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `show` before the model."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_SaveByDefault, short_help="Save where the ops of MODEL run; compare saved plans.")
@debug_option
def plan() -> None:
    """Save where the ops of a model run as a file, or compare two such files.

    \b
    Examples:
      litebridge plan model_dir --shape x=2,4 --device sim_npu --save plan.json
      litebridge plan diff plan.json new.json
      litebridge plan diff plan.json new.json --fail-on coverage,regions

    A saved plan pins a placement: Config(plan="plan.json"), or --plan plan.json, puts the same ops on the
    same devices, whatever newer versions would choose, and says what no longer fits.
    """


@plan.command("show", short_help="Show or save the plan of MODEL (the default).")
@model_argument
@feed_options
@passes_option
@device_options
@threads_option
@count_option("--runs", "Run MODEL N times, and save the median of the times.", default=0, minimum=0)
@click.option(
    "--save", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the plan to FILE."
)
@json_option
@debug_option
def _show(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    passes: list[str] | None,
    on: DeviceOptions,
    threads: int,
    runs: int,
    save: Path | None,
    as_json: bool,
) -> None:
    """Place the ops of MODEL on devices, without a run unless --runs is given, and save the plan.

    \b
    Examples:
      litebridge plan model_dir --shape x=2,4 --device sim_npu
      litebridge plan model_dir --shape x=2,4 --device sim_npu --save plan.json

    The file is JSON: the place of each op with the reasons of other devices, the regions, the coverage, and
    the versions of litebridge and of the devices.
    """
    shapes: Mapping[str, tuple[int, ...]] = dict(feed.shapes)
    feeds: Mapping[str, Array] = {}
    if runs:
        with working("loading"):
            feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
        shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(model, params, passes=passes, threads=threads, input_shapes=shapes, **on.settings)
    with working("optimising"):
        predictor = create_predictor(config)
    seconds = _seconds(predictor, feeds, feed, runs) if runs else None
    saved = SavedPlan.of(model.resolve().name, predictor.report(), _devices(config), shapes, seconds)
    if save is not None:
        write_file(save, saved.to_json())
    if as_json:
        print_json({"plan": saved, "written": save})
        return
    rows = [(n, each.device, each.block, len(each.ops)) for n, each in enumerate(saved.regions)]
    if rows:
        print_table(("region", "device", "block", "ops"), rows)
    else:
        reason = "the devices take no op" if on.settings["devices"] else "no --device is given"
        click.echo(f"no regions: {reason}")
    shares = [f"{place} {share['ops']:.1%} of the ops" for place, share in saved.coverage.items()]
    click.echo(f"\n{', '.join(shares)}")
    if save is not None:
        click.echo(f"wrote {save}")


def _seconds(predictor: Predictor, feeds: Mapping[str, Array], feed: FeedOptions, runs: int) -> float:
    times = []
    with progress(runs + 1, "running") as advance:
        for _ in range(runs + 1):
            start = time.perf_counter()
            predictor.run(feeds, lods=feed.levels)
            times.append(time.perf_counter() - start)
            advance()
    return statistics.median(times[1:])


def _devices(config: Config) -> dict[str, SavedDevice]:
    devices = {}
    for text in config.devices:
        device = open_in_its_process(text, Settings(config.threads, config.precision))
        missing = at_boundary(device.name, "asking whether it is available", device.available)
        version = missing or at_boundary(device.name, "asking its version", device.version)
        devices[device.name] = SavedDevice(text, version)
    return devices


def _checks(_: click.Context, __: click.Parameter, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in CHECKS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(CHECKS)}{suggest(name, CHECKS)}")
    return names


@plan.command(short_help="Compare two saved plans.")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--fail-on",
    "checks",
    default="",
    callback=_checks,
    metavar=",".join(CHECKS),
    help="End with the status 3 if one of these became worse; time from 10 % on.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a summary for a pull request.")
@json_option
@debug_option
def diff(old: Path, new: Path, checks: list[str], as_markdown: bool, as_json: bool) -> None:
    """Show which ops moved between the plans OLD and NEW of a model, why, and what became worse.

    \b
    Examples:
      litebridge plan diff plan.json new.json
      litebridge plan diff plan.json new.json --fail-on coverage,host-ops --markdown

    Coverage is the share of the multiply-accumulates on devices, or of the ops if there are none.  The reason
    of a move is the sentence by which the device that had run an op declines it now.
    """
    if as_json and as_markdown:
        raise ConfigError("give --json or --markdown, not both")
    found = SavedPlan.read(new)
    result = plan_diff(SavedPlan.read(old), found)
    failed = [name for name in checks if name in result.regressions]
    if as_json:
        print_json({**vars(result), "failed": failed})
    elif as_markdown:
        click.echo(markdown(result, found.model), nl=False)
    else:
        _print(result)
    if failed:
        raise click.exceptions.Exit(ANSWER_IS_NO)


def _print(result: PlanDiff) -> None:
    rows: list[tuple[object, ...]] = [
        ("regions", *result.regions),
        ("coverage", *(f"{each:.1%}" for each in result.coverage)),
        ("ops on the host", *result.host_ops),
        ("ms", *(None if each is None else each * 1e3 for each in result.seconds)),
        *((name, *pair) for name, pair in result.versions.items()),
    ]
    print_table(("", "old", "new"), rows)
    if result.moved:
        moves = [(m.op, m.type, m.block, m.before, m.after, m.reason) for m in result.moved]
        print_table(("op", "type", "block", "from", "to", "why"), moves, "\nmoved")
    for title, names in (("new ops", result.added), ("ops that are gone", result.removed)):
        if names:
            click.echo(f"\n{title}: {', '.join(names)}")
    for name, text in result.regressions.items():
        click.echo(f"\nworse: {name} ({text})")
