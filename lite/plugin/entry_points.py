"""Finds installed packages that provide plug-ins, by their entry points."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder

_METADATA = ("dist-info", "egg-info")
"""The endings of metadata folders; the folder ``EGG-INFO`` inside an egg has one of them, too."""


_added: dict[str, set[str]] = {}


def add_packages(group: str, packages: Iterable[str]) -> None:
    """Add packages to a group: a worker receives those that the process it serves has found."""
    _added.setdefault(group, set()).update(packages)


def packages_of(group: str) -> list[str]:
    """The packages that the entry points of a group name, sorted."""
    found = _packages_of(group, tuple(sys.path), tuple(map(id, sys.meta_path)))
    return sorted({*_added.get(group, ()), *found})


@functools.cache
def _packages_of(group: str, *_: tuple[str | int, ...]) -> list[str]:
    """Searched once for each search path, since that reads a file of every installed package."""
    if not _may_name(group):
        return []
    # Imported here because it imports email, sockets and zip files, which takes longer than to read a model.
    from importlib.metadata import entry_points

    return sorted(entry.value for entry in entry_points(group=group))


def _may_name(group: str) -> bool:
    """Whether an entry point may be in this group.

    Where all packages are in folders, this searches their metadata files for the name of the group.
    """
    other_finders = [
        finder
        for finder in sys.meta_path
        if finder is not PathFinder and hasattr(finder, "find_distributions")
    ]
    if other_finders or PathFinder not in sys.meta_path:
        return True
    if any(os.path.isfile(folder) for folder in sys.path):
        return True
    return any(group.encode() in text for folder in sys.path for text in _entry_points(folder))


def _entry_points(folder: str) -> Iterator[bytes]:
    """The contents of the entry-point files of the packages in a folder."""
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
                # The package has no entry points, or its metadata is a single file in an old format.
                continue
