"""DOT and SVG pictures of a graph between passes, and the files that hold them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from lite.tools.options.passes import check_listed, pass_name

PICTURE = "graph_visualize_pass"


def with_pictures(
    specs: Sequence[str], after: Collection[str], at_end: bool, picture: str = PICTURE
) -> list[str]:
    """`specs` with the pass `picture` at the start, after each pass of `after`, and at the end if `at_end`.

    `picture` is `PICTURE`, with or without options.

    Raises `ConfigError` for a name in `after` that is not in the list.
    """
    names = check_listed(after, specs)
    pictured = [picture]
    for spec in specs:
        pictured.append(spec)
        if pass_name(spec) in names:
            pictured.append(picture)
    return [*pictured, picture] if at_end and pictured[-1] != picture else pictured


def pictures_in(folder: Path) -> dict[Path, int]:
    """Each picture in a folder with the time of its last change, in nanoseconds."""
    return {
        path: path.stat().st_mtime_ns
        for path in folder.glob("*")
        if path.suffix in (".dot", ".svg") and path.is_file()
    }


def new_pictures(folder: Path, before: Mapping[Path, int]) -> list[Path]:
    """The pictures written since `before`, sorted."""
    return [path for path, time in sorted(pictures_in(folder).items()) if before.get(path) != time]
