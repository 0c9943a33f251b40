"""litebridge map: runs a model on many files."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lite.tools.options.devices import DeviceOptions, device_options
from lite.tools.options.model import model_argument, model_config
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.options.runs import threads_option
from lite.tools.options.values import count_option
from lite.tools.terminal import print_facts, print_json, print_table, progress

_SHOWN = 20
"""Failed items in the table; failed.csv has all."""


@click.command("map", short_help="Run MODEL on many files; goes on after a crash.")
@model_argument
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Write a result for each file.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N files at the same time.  [default: one for each core, divided by --threads]",
)
@count_option("--batch", "Run N files of equal shapes together, along axis 0.", default=1)
@click.option("--retry-failed", is_flag=True, help="Try items of DIR/failed.csv again.")
@threads_option
@device_options
@json_option
@debug_option
def map_command(
    model: Path,
    params: Path | None,
    patterns: tuple[str, ...],
    out: Path,
    workers: int | None,
    batch: int,
    retry_failed: bool,
    threads: int,
    on: DeviceOptions,
    as_json: bool,
) -> None:
    """Run MODEL on every file that matches PATTERN, and write the outputs to DIR.

    \b
    Examples:
      litebridge map model_dir 'in/*.npz' --out results
      litebridge map model_dir 'in/**/*.npy' --out results --workers 4 --batch 8

    A file is an .npz with an array for each input, or an .npy for a model with one input.  The result of
    in/a/b.npy is DIR/a/b.npz, with the outputs by name.  It is written completely or not at all: run the
    same command again after a crash, and it goes on with the files that have no result.  Quote patterns, so
    that the shell does not expand them.

    An item that fails gets a line in DIR/failed.csv, and the exit status is 3.
    """
    from lite.serving.mapping.items import find_items
    from lite.serving.mapping.map_files import map_files

    items = find_items(patterns)
    config = model_config(model, params, threads=threads, **on.settings)
    with progress(len(items), "running") as advance:
        summary = map_files(
            config,
            items,
            out,
            workers=workers or max(1, (os.cpu_count() or 1) // threads),
            batch=batch,
            retry_failed=retry_failed,
            progress=advance,
        )
    facts = {"written": summary.written, "by earlier runs": summary.earlier, "failed": summary.failed}
    if as_json:
        print_json({**facts, "failures": {name: error for name, (_, error) in summary.failures.items()}})
    else:
        print_facts(facts)
        if summary.failed:
            rows = [(name, error) for name, (_, error) in sorted(summary.failures.items())]
            print_table(("item", "error"), rows[:_SHOWN], "\nfailed")
            click.echo(f"all failed items: {out / 'failed.csv'}")
    if summary.failed:
        click.get_current_context().exit(ANSWER_IS_NO)
