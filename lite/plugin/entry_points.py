"""Packages outside the tree that bring plug-ins, by the entry points of what is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

_METADATA = ("dist-info", "egg-info")
"""How the folders end that say what is installed: also ``EGG-INFO`` inside of an egg."""


def packages_of(group: str) -> list[str]:
    """What the entry points of a group name, sorted."""
    if not _may_name(group):
        return []
    # Imported late: it brings email, sockets and zip files, and takes longer than to read a model.
    from importlib.metadata import entry_points

    return sorted(entry.value for entry in entry_points(group=group))


def _may_name(group: str) -> bool:
    """Whether some entry point may be of this group; told by the files if packages lie only in folders."""
    others = [
        each for each in sys.meta_path if each is not PathFinder and hasattr(each, "find_distributions")
    ]
    if others or PathFinder not in sys.meta_path:
        return True
    if any(os.path.isfile(folder) for folder in sys.path):
        return True
    return any(group.encode() in text for folder in sys.path for text in _entry_points(folder))


def _entry_points(folder: str) -> Iterator[bytes]:
    """What the packages in a folder say of their entry points."""
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return
    for name in names:
        if name.lower().endswith(_METADATA):
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                    yield file.read()
            except OSError:
                # It has none, or is a file itself, as old ones were.
                continue
