"""litebridge cache: what compiled models are kept, and whether they are intact."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import click

from lite.runtime.cache import DeviceCache, Entry
from lite.tools.parameters import debug_option, json_option
from lite.tools.terminal import print_json, print_table

DAMAGED = 3
"""Exit status when a kept model is damaged."""


@dataclass(frozen=True)
class KeptModel:
    """A kept model; `age` and `unused` are seconds since it was stored, and since it was last of use."""

    file: str
    device: str | None
    region: str | None
    bytes: int
    age: float | None
    unused: float
    problem: str | None


@click.command(short_help="List the compiled models kept in DIR.")
@click.argument(
    "directory",
    metavar="[DIR]",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
)
@click.option("--clear", is_flag=True, help="Remove all that the cache keeps in DIR, and nothing else.")
@json_option
@debug_option
@click.pass_context
def cache(ctx: click.Context, directory: Path, clear: bool, as_json: bool) -> None:
    """List the compiled models of devices that are kept in DIR, by default the current directory.

    \b
    Examples:
      litebridge cache model_cache
      litebridge cache model_cache --json
      litebridge cache model_cache --clear

    DIR is what `cache_dir` of a Config names.  Each line is a model: its device, the region and the
    input shapes that it was compiled for, how long ago it was stored and last used.  Every model is
    read and its checksums are compared; one that is damaged would be built anew by the next process
    that needs it, and ends this command with status 3.
    """
    kept = DeviceCache(directory)
    if clear:
        removed = kept.clear()
        if as_json:
            print_json({"removed": removed})
        else:
            click.echo(f"removed {removed} models")
        return
    now = time.time()
    rows = [_row(entry, now) for entry in kept.entries(check=True)]
    if as_json:
        print_json(rows)
    else:
        print_table(
            ("device", "region", "bytes", "age", "unused", "problem", "file"),
            [
                (row.device, row.region, row.bytes, _span(row.age), _span(row.unused), row.problem, row.file)
                for row in rows
            ],
        )
    if any(row.problem is not None for row in rows):
        ctx.exit(DAMAGED)


def _row(entry: Entry, now: float) -> KeptModel:
    return KeptModel(
        entry.path.name,
        None if entry.key is None else entry.key.device,
        entry.described or None,
        entry.size,
        max(now - entry.created, 0.0) if entry.created else None,
        max(now - entry.used, 0.0),
        entry.problem,
    )


def _span(seconds: float | None) -> str | None:
    """``3 days``, in the largest unit of which there are at least two."""
    if seconds is None:
        return None
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds / length)} {unit}"
    return f"{int(seconds)} seconds"
