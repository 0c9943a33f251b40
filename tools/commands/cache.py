"""litebridge cache: what is kept for the next process, and whether it is intact."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

import click

from lite.cache import PLANS, CacheDirectory, Entry
from lite.tools.parameters import debug_option, json_option
from lite.tools.terminal import print_json, print_table

DAMAGED = 3
"""Exit status when an entry is damaged."""


@dataclass(frozen=True)
class KeptEntry:
    """An entry; `age` and `unused` are seconds since it was stored, and since it was last of use.

    `of` is the region and its input shapes, or the model.
    """

    file: str
    kind: str | None
    device: str | None
    of: str | None
    bytes: int
    age: float | None
    unused: float
    problem: str | None


@click.command(short_help="List what is kept in DIR.")
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
    """List what is kept in DIR, by default the current directory, for the next process.

    \b
    Examples:
      litebridge cache model_cache
      litebridge cache model_cache --json
      litebridge cache model_cache --clear

    DIR is what `cache_dir` of a Config names.  Each line is an entry, by kind: a model that a device
    compiled, with its region and the input shapes; a plan, which is a whole optimised model; the
    packed weights of a plan; or the files that a model lies in.  Then follow how long ago it was
    stored and last used.  Every entry is read and its checksums are compared; one that is damaged
    would be made anew by the next process that needs it, and ends this command with status 3.
    """
    stores = [CacheDirectory(directory), CacheDirectory(directory / PLANS)]
    if clear:
        removed = sum(store.clear() for store in stores)
        with contextlib.suppress(OSError):
            stores[-1].directory.rmdir()
        if as_json:
            print_json({"removed": removed})
        else:
            click.echo(f"removed {removed} entries")
        return
    now = time.time()
    rows = [_row(entry, now) for store in stores for entry in store.entries(check=True)]
    if as_json:
        print_json(rows)
    else:
        print_table(
            ("kind", "device", "of", "bytes", "age", "unused", "problem", "file"),
            [
                (
                    row.kind,
                    row.device,
                    row.of,
                    row.bytes,
                    _span(row.age),
                    _span(row.unused),
                    row.problem,
                    row.file,
                )
                for row in rows
            ],
        )
    if any(row.problem is not None for row in rows):
        ctx.exit(DAMAGED)


def _row(entry: Entry, now: float) -> KeptEntry:
    return KeptEntry(
        entry.path.name,
        None if entry.key is None else entry.key.kind,
        None if entry.key is None else entry.key.device or None,
        entry.description or None,
        entry.size,
        max(now - entry.created, 0.0) if entry.created else None,
        max(now - entry.last_used, 0.0),
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
