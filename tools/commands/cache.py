"""litebridge cache: lists, checks and clears the files that a later process reuses."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import click

from lite.cache import PLANS, CacheDirectory, Entry
from lite.dataclass import dataclass
from lite.tools.options.output import ANSWER_IS_NO, debug_option, json_option
from lite.tools.terminal import line_width, print_json, print_table


@dataclass(frozen=True)
class CacheRow:
    """An entry of the cache.

    `of` is the region and its input shapes, or the model.  `age` and `unused` are the seconds since the
    entry was stored and since its last use.
    """

    file: str
    kind: str | None
    device: str | None
    of: str | None
    bytes: int
    age: float | None
    unused: float
    problem: str | None


@click.command(short_help="List, check or clear a cache of plans and compiled models.")
@click.argument(
    "directory",
    metavar="[DIR]",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
)
@click.option("--clear", is_flag=True, help="Remove all entries of the cache, and no other file.")
@json_option
@debug_option
@click.pass_context
def cache(ctx: click.Context, directory: Path, clear: bool, as_json: bool) -> None:
    """List and check the entries of the cache in DIR, by default the current directory.

    \b
    Examples:
      litebridge cache model_cache
      litebridge cache model_cache --json
      litebridge cache model_cache --clear

    DIR is the folder of --cache-dir, or of `cache_dir` in a Config.  The kinds of entries are: a model
    that a device compiled, with its region and input shapes; a plan, which is a complete optimised model;
    the packed weights of a plan; and the list of the files of a model.  The table shows the time since an
    entry was stored and since its last use.

    Every entry is read, and its checksums are compared.  The exit status is 3 if an entry is damaged; the
    next process that needs it creates it again.
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
            ("kind", "device", "contents", "bytes", "age", "unused for", "problem", "file"),
            [
                (
                    row.kind,
                    row.device,
                    _short_path(row.of),
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
        ctx.exit(ANSWER_IS_NO)


def _row(entry: Entry, now: float) -> CacheRow:
    return CacheRow(
        entry.path.name,
        None if entry.key is None else entry.key.kind,
        None if entry.key is None else entry.key.device or None,
        entry.description or None,
        entry.size,
        max(now - entry.created, 0.0) if entry.created else None,
        max(now - entry.last_used, 0.0),
        entry.problem,
    )


def _short_path(text: str | None) -> str | None:
    """A path below the current directory relative to it, of others the end; all of it with --wide."""
    if text is None or line_width() is None or not text.startswith(os.sep):
        return text
    path = Path(text)
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    return text if len(path.parts) <= 3 else os.sep.join(("…", *path.parts[-2:]))


def _span(seconds: float | None) -> str | None:
    """``3 days``, in the largest unit that gives at least 2."""
    if seconds is None:
        return None
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds / length)} {unit}"
    return f"{int(seconds)} seconds"
