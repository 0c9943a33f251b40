"""litebridge bisect: the first op that a device gets wrong."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from lite.session.predictor import create_predictor
from lite.spec.grammar import parse_spec
from lite.tools.bisection import Bisection, Bisector, FirstBad, shows_it, write_minimal
from lite.tools.commands.run import DIFFERS, TOLERANCE
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.parameters import debug_option, json_option, model_argument, model_config
from lite.tools.terminal import print_json, print_table


@click.command(short_help="Find the first op that a device gets wrong.")
@model_argument
@feed_options
@click.option("-d", "--device", required=True, metavar="NAME{KEY=VALUE}", help="The device to look at.")
@click.option(
    "--min-ops", type=click.IntRange(min=1), default=1, show_default=True, help="Of a region, at least."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the model that shows it goes.  [default: bisect_NAME]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=TOLERANCE,
    show_default=True,
    help="Largest max|a-b| / max|a| of floats; integers must be equal.",
)
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
    tolerance: float,
    as_json: bool,
) -> None:
    """Compare each region of MODEL on a device with the host, and find the first op that differs.

    \b
    Examples:
      litebridge bisect model_dir --shape x=2,4 --device sim_npu
      litebridge bisect model_dir --input x=x.npy --device sim_npu --tolerance 1e-4 --out wrong

    Regions are compared in running order, each with the inputs that it has in the model.  In the first
    that differs, or that the device cannot compile or run, ever shorter parts from its beginning are tried
    until one op is left; then that op alone and, if it is right alone, with the ops before it.  A model of
    these ops is written to DIR, with inputs and the host's outputs; the last lines say how to run it.
    The exit status is 3 when something differs.  Inputs are made up as for `litebridge run`.
    """
    feeds = feed.arrays(create_predictor(model_config(model, params, passes=[])))
    shapes = {name: array.shape for name, array in feeds.items()}
    config = model_config(model, params, devices=[device], min_subgraph_ops=min_ops, input_shapes=shapes)
    found = Bisector(config, feeds, feed.levels, tolerance).run()
    folder = out or Path(f"bisect_{parse_spec(device).name}")
    shown = found.first is not None and _written(found.first, folder, device, tolerance)
    if as_json:
        print_json(_document(found, folder, shown))
    else:
        _print(found, folder, device, shown, tolerance)
    if found.first is not None:
        ctx.exit(DIFFERS)


def _written(first: FirstBad, folder: Path, device: str, tolerance: float) -> bool:
    model, _ = write_minimal(first, folder)
    return shows_it(first, model, device, tolerance)


def _document(found: Bisection, folder: Path, shown: bool) -> dict[str, object]:
    first = found.first
    if first is None:
        return {"regions": found.regions, "first": None}
    described = {
        "region": first.region,
        "op": first.op,
        "name": first.name,
        "problem": first.problem,
        "ops": first.piece.ops,
        "compiles": first.compiles,
        "model": folder / "model",
        "reference": folder / "reference.npz",
        "shows_it": shown,
    }
    return {"regions": found.regions, "first": described}


def _print(found: Bisection, folder: Path, device: str, shown: bool, tolerance: float) -> None:
    print_table(
        ("region", "device", "block", "ops", "error", "problem"),
        [(c.id, c.device, c.block, c.ops, c.error, c.problem) for c in found.regions],
    )
    first = found.first
    if first is None:
        click.echo("\nno region differs from the host")
        return
    click.echo(
        f"\nthe first op whose output differs is {first.op} {first.name!r} in region {first.region}: "
        f"{first.problem} (found with {first.compiles} compilations)"
    )
    alone = f"{first.op} alone" if len(first.piece.ops) == 1 else ", ".join(first.piece.ops)
    click.echo(f"wrote {folder / 'model'}, a model of {alone}, and {folder / 'reference.npz'}")
    command = ["litebridge", "run", str(folder / "model"), "--reference", str(folder / "reference.npz")]
    limit = [] if tolerance == TOLERANCE else ["--tolerance", f"{tolerance:g}"]
    line = shlex.join([*command, "--device", device, "--min-ops", "1", "--strict", *limit])
    if shown:
        click.echo(f"it differs when it is run by itself:\n  {line}")
    else:
        click.echo(f"run by itself it does not differ; the whole region is needed:\n  {line}")
