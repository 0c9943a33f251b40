"""litebridge memory: what memory a model needs, and a picture of it."""

from __future__ import annotations

from pathlib import Path

import click

from lite.plan.memory import STRATEGIES
from lite.runtime.observe.memory_use import MemoryUse
from lite.session.predictor import create_predictor
from lite.tools.device_options import DeviceOptions, device_options
from lite.tools.drawing import FORMATS
from lite.tools.feed_options import FeedOptions, feed_options
from lite.tools.memory_plan import arena_rows, compare_strategies, draw_arenas
from lite.tools.parameters import debug_option, json_option, model_argument, model_config, passes_option
from lite.tools.terminal import print_facts, print_json, print_table


@click.command(short_help="Show what memory MODEL needs.")
@model_argument
@feed_options
@click.option(
    "--strategy",
    type=click.Choice(list(STRATEGIES)),
    default="compact",
    show_default=True,
    help="How buffers share memory.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar=f"FILE{'|'.join(FORMATS)}",
    help="Draw which value lies where at what time.",
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
    """Show what memory MODEL needs for the values between its ops, for inputs of certain sizes.

    \b
    Examples:
      litebridge memory model_dir --shape x=2,4
      litebridge memory model_dir --shape x=2,4 --strategy best_fit --out plan.svg

    Runs MODEL once, for ops whose results depend on data have no sizes before.  Shows the bytes that
    each strategy needs in total against the largest live set, which is the most bytes that are in use
    at one time, so that nothing can need less; then each arena as it is: there is one for each part of
    the model that can be planned at once, and for each nested block.  Outputs are not planned, they
    are the caller's.  Weights stay in their file where they can be mapped; copied are those that lie
    unaligned there, packed those that kernels keep in another form.  Inputs as for `litebridge run`.
    """
    predictor = create_predictor(model_config(model, params, passes=passes, memory=strategy, **on.settings))
    predictor.run(feed.arrays(predictor), lods=feed.levels)
    found = predictor.memory()
    if out is not None:
        draw_arenas(found.arenas).save(out)
    if as_json:
        print_json(_document(found, out))
        return
    _print(found)
    if out is not None:
        click.echo(f"\nwrote {out}")


def _document(found: MemoryUse, out: Path | None) -> dict[str, object]:
    arenas = zip(arena_rows(found.arenas), found.arenas, strict=True)
    return {
        "strategy": found.strategy,
        "strategies": compare_strategies(found.arenas),
        "arenas": [{**vars(row), "buffers": arena.buffers} for row, arena in arenas],
        "scratch": found.scratch,
        "weights": {"bytes": found.weights, "copied": found.copied, "packed": found.packed},
        "written": [] if out is None else [out],
    }


def _print(found: MemoryUse) -> None:
    print_table(
        ("strategy", "arena bytes", "largest live set", "ratio", "buffers", "chosen"),
        [(*vars(row).values(), row.strategy == found.strategy) for row in compare_strategies(found.arenas)],
        "strategies",
    )
    print_table(
        ("block", "from", "to", "buffers", "arena bytes", "largest live set", "at"),
        [tuple(vars(row).values()) for row in arena_rows(found.arenas)],
        "\narenas, by instruction",
    )
    click.echo()
    facts = ("scratch", "weights", "copied", "packed")
    print_facts({name: getattr(found, name) for name in facts})
