"""litebridge memory: shows and draws the memory that a model needs."""

from __future__ import annotations

from pathlib import Path

import click

from lite.memory import STRATEGIES
from lite.runtime.observe.memory_use import MemoryUse
from lite.session.predictor import create_predictor
from lite.tools.drawing import FORMATS
from lite.tools.memory_plan import arena_rows, compare_strategies, draw_arenas
from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.feeds import FeedOptions, feed_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import debug_option, json_option
from lite.tools.options.passes import passes_option
from lite.tools.terminal import print_facts, print_json, print_table, working


@click.command(short_help="Show the memory that MODEL needs.")
@model_argument
@feed_options
@click.option(
    "--strategy",
    type=click.Choice(list(STRATEGIES)),
    default="compact",
    show_default=True,
    help="The strategy by which buffers share memory.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar=f"FILE{'|'.join(FORMATS)}",
    help="Draw the buffers by address and time.",
)
@passes_option
@device_options
@json_option
@debug_option
def memory(
    model: Path,
    params: Path | None,
    feed: FeedOptions,
    strategy: str,
    out: Path | None,
    passes: list[str] | None,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Show the memory that MODEL needs for the values between its ops.

    \b
    Examples:
      litebridge memory model_dir --shape x=2,4
      litebridge memory model_dir --shape x=2,4 --strategy best_fit --out plan.svg

    Runs MODEL once, since the sizes of some results depend on the data.  The first table compares the
    total bytes of each strategy with the largest live set: the bytes in use at one time, which every
    strategy needs.  The second table has the arenas: one for each part of the model that can be planned at
    once, and one for each nested block.  Outputs belong to the caller and are not planned.

    `scratch` is the working memory of kernels, `weights` the size of all weights.  Weights are mapped from
    their file if possible; `copied` are those that are not aligned in the file, `packed` those that kernels
    keep in another layout.  Inputs without --input are random; give --shape for open sizes.
    """
    with working("loading and running"):
        config = model_config(model, params, passes=passes, memory=strategy, **on.settings)
        predictor = create_predictor(config)
        predictor.run(feed.arrays(predictor), lods=feed.levels)
    use = predictor.memory()
    if out is not None:
        draw_arenas(use.arenas).save(out)
    if as_json:
        print_json(_document(use, out))
        return
    _print(use)
    if out is not None:
        click.echo(f"\nwrote {out}")


def _document(use: MemoryUse, out: Path | None) -> dict[str, object]:
    arenas = zip(arena_rows(use.arenas), use.arenas, strict=True)
    return {
        "strategy": use.strategy,
        "strategies": compare_strategies(use.arenas),
        "arenas": [{**vars(row), "buffers": arena.buffers} for row, arena in arenas],
        "scratch": use.scratch,
        "weights": {"bytes": use.weights, "copied": use.copied, "packed": use.packed},
        "written": [] if out is None else [out],
    }


def _print(use: MemoryUse) -> None:
    print_table(
        ("strategy", "arena bytes", "largest live set", "ratio", "buffers", "chosen"),
        [(*vars(row).values(), row.strategy == use.strategy) for row in compare_strategies(use.arenas)],
        "strategies",
    )
    print_table(
        ("block", "from", "to", "buffers", "arena bytes", "largest live set", "at"),
        [tuple(vars(row).values()) for row in arena_rows(use.arenas)],
        "\narenas, by instruction",
    )
    click.echo()
    print_facts({"scratch": use.scratch, "weights": use.weights, "copied": use.copied, "packed": use.packed})
