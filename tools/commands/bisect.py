"""litebridge bisect: finds the first op that a device computes wrongly."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from lite.session.predictor import create_predictor
from lite.spec.grammar import parse_spec
from lite.tools.analysis.bisection import Bisection, Bisector, reproduces, write_reproducer
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.runs import tolerance_of, tolerance_option
from lite.tools.options.values import count_option
from lite.tools.terminal import print_json, print_table, working


@click.command(short_help="Find the first op that a device computes wrongly.")
@model_argument
@feed_options
@click.option("-d", "--device", required=True, metavar="NAME{KEY=VALUE}", help="The device to check.")
@count_option("--min-ops", "Leave regions of fewer than N ops to the host.", default=1)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the model that reproduces the difference to DIR.  [default: bisect_NAME]",
)
@tolerance_option
@json_option
@debug_option
@click.pass_context
def bisect(
    ctx: click.Context,
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    device: str,
    min_ops: int,
    out: Path | None,
    tolerance: float | None,
    as_json: bool,
) -> None:
    """Compare each region of MODEL on a device with the host, and find the first op that differs.

    \b
    Examples:
      litebridge bisect model_dir --shape x=2,4 --device sim_npu
      litebridge bisect model_dir --input x=x.npy --device sim_npu --out wrong

    The regions are compared in running order, each with the inputs that it has in the model.  The first
    region that differs, or that the device cannot compile or run, is bisected: parts of different length
    that start at its beginning show which op is wrong.  This op is then tried alone and, if it is right
    alone, together with the ops before it.

    The smallest model that reproduces the difference is written to DIR, with its inputs and the host's
    outputs; the last lines of the output show the command that runs it.  The exit status is 3 if an op
    differs.  Inputs without --input are random; give --shape for open sizes.
    """
    with working("loading"):
        feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(model, params, devices=[device], min_subgraph_ops=min_ops, input_shapes=shapes)
    accepted = tolerance_of(tolerance, [device])
    with working("comparing regions"):
        bisection = Bisector(config, feeds, feed.levels, accepted).run()
    folder = out or Path(f"bisect_{parse_spec(device).name}")
    reproduced = False
    if bisection.first is not None:
        written, _ = write_reproducer(bisection.first, folder)
        with working("running the written model"):
            reproduced = reproduces(bisection.first, written, device, accepted)
    if as_json:
        print_json(_document(bisection, folder, reproduced))
    else:
        _print(bisection, folder, device, reproduced, tolerance)
    if bisection.first is not None:
        ctx.exit(ANSWER_IS_NO)


def _document(bisection: Bisection, folder: Path, reproduced: bool) -> dict[str, object]:
    first = bisection.first
    if first is None:
        return {"regions": bisection.regions, "first": None}
    document = {
        "region": first.region,
        "op": first.op,
        "name": first.name,
        "problem": first.problem,
        "ops": first.part.ops,
        "compiles": first.compiles,
        "model": folder / "model",
        "reference": folder / "reference.npz",
        "shows_it": reproduced,
    }
    return {"regions": bisection.regions, "first": document}


def _print(
    bisection: Bisection, folder: Path, device: str, reproduced: bool, tolerance: float | None
) -> None:
    print_table(
        ("region", "device", "block", "ops", "error", "problem"),
        [(c.id, c.device, c.block, c.ops, c.error, c.problem) for c in bisection.regions],
    )
    first = bisection.first
    if first is None:
        click.echo("\nno region differs from the host")
        return
    click.echo(
        f"\nthe first op whose output differs is {first.op} {first.name!r} in region {first.region}: "
        f"{first.problem} (found with {first.compiles} compilations)"
    )
    ops = f"{first.op} alone" if len(first.part.ops) == 1 else ", ".join(first.part.ops)
    click.echo(f"wrote {folder / 'model'}, a model of {ops}, and {folder / 'reference.npz'}")
    command = ["litebridge", "run", str(folder / "model"), "--reference", str(folder / "reference.npz")]
    limit = [] if tolerance is None else ["--tolerance", f"{tolerance:g}"]
    line = shlex.join([*command, "--device", device, "--min-ops", "1", "--strict", *limit])
    if reproduced:
        click.echo(f"this model differs, too:\n  {line}")
    else:
        click.echo(f"this model does not differ, only the whole region does:\n  {line}")
