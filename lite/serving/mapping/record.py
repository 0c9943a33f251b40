"""Records in the output folder of a run: its settings, the results, and the items that failed."""

from __future__ import annotations

import csv
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lite.atomic_file import remove_stale_files, write_atomically
from lite.errors import ConfigError
from lite.serving.mapping.items import Item

_SETTINGS = ".litebridge-map.json"
_LOCK = ".litebridge-map.lock"
FAILED = "failed.csv"
"""The table of items that failed: name, file, error."""


@contextmanager
def output_folder(folder: Path, settings: dict[str, object]) -> Iterator[None]:
    """Use a folder for the results of a run.

    Raises `ConfigError` if another process uses it, or if it has results of other `settings`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigError(
                f"{folder}: another process writes its results there; wait for it, or name another folder"
            ) from error
        remove_stale_files(folder)
        _check_settings(folder, settings)
        yield


def done_names(folder: Path, items: Sequence[Item]) -> set[str]:
    """The names of the items that have a result."""
    return {item.name for item in items if (folder / item.name).is_file()}


def read_failures(folder: Path) -> dict[str, tuple[str, str]]:
    """The file and the error of each failed item, by name; an incomplete last line is ignored.

    A process that was killed while it wrote a line leaves such a line.
    """
    path = folder / FAILED
    if not path.is_file():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    rows = list(csv.reader(whole.splitlines()))
    return {row[0]: (row[1], row[2]) for row in rows[1:] if len(row) == 3}


def write_failures(folder: Path, failures: dict[str, tuple[str, str]]) -> None:
    """Write the table of failed items, or remove it if there are none."""
    if not failures:
        (folder / FAILED).unlink(missing_ok=True)
        return
    write_atomically(
        folder / FAILED,
        [_lines([("name", "file", "error"), *((name, *row) for name, row in sorted(failures.items()))])],
    )


def append_failure(folder: Path, item: Item, error: str) -> None:
    """Add a line to the table of failed items, with the header if the table is new, and sync it to disk."""
    with (folder / FAILED).open("ab") as file:
        if file.tell() == 0:
            file.write(_lines([("name", "file", "error")]))
        file.write(_lines([(item.name, str(item.source), error)]))
        file.flush()
        os.fsync(file.fileno())


def _lines(rows: Sequence[Sequence[str]]) -> bytes:
    """Rows as CSV in UTF-8, one line each: line breaks in cells become blanks."""
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)
    return buffer.getvalue().encode()


def _check_settings(folder: Path, settings: dict[str, object]) -> None:
    path = folder / _SETTINGS
    text = json.dumps(settings, sort_keys=True)
    if not path.is_file():
        write_atomically(path, [text.encode()])
        return
    if path.read_text(encoding="utf-8") != text:
        raise ConfigError(
            f"{folder} has results of another model or other settings ({path.read_text(encoding='utf-8')}); "
            "name another folder, or remove this one"
        )
