"""Digests of source code: of whole folders, remembered between processes, and of a device's packages."""

from __future__ import annotations

import contextlib
import importlib.machinery
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lite.cache.checked_json import read_checked_json, write_checked_json
from lite.cache.key import digest_of
from lite.cache.weight_hashes import SETTLED_NS
from lite.ir.graph import Graph
from lite.plugin.device import BRIDGES, DEVICES, Device
from lite.plugin.device.bridge_search import bridge_names, load_bridges_of
from lite.plugin.device.bridging import composites_of

SOURCE_FILE = "sources.json"
"""The file in the cache's directory that remembers the digests of folders."""

_MODULE_SUFFIXES = tuple(importlib.machinery.all_suffixes())

Digests = dict[str, tuple[str, str]]
"""By folders: the digest of the stamps of their files, and the digest of the files' content."""


def folders_digest(
    folders: Sequence[Path],
    directory: Path | None = None,
    *,
    without: Sequence[str] = (),
    verify: bool = False,
) -> tuple[str, int]:
    """The digest of all files below these folders, and the number of files.

    ``__pycache__`` and the folders `without`, directly below, are left out.  With `directory`, a digest is
    remembered there, with the names, sizes, times and inodes of the files; it is computed again when one
    of these changed, or with `verify`.  Raises `OSError` for a file that cannot be read.
    """
    listing = [(folder, sorted(_files(folder, without))) for folder in folders]
    stamps = digest_of(
        text for folder, files in listing for text in (str(folder), *(_stamp_text(*file) for file in files))
    )
    count = sum(len(files) for _, files in listing)
    memory = None if directory is None else directory / SOURCE_FILE
    remembered = {} if memory is None else _read_digests(memory)
    name = digest_of([*map(str, folders), *without])
    if not verify and remembered.get(name, ("", ""))[0] == stamps:
        return remembered[name][1], count
    digest = digest_of(
        field
        for folder, files in listing
        for path, _ in files
        for field in (path, Path(folder, path).read_bytes())
    )
    newest = max((max(s.st_mtime_ns, s.st_ctime_ns) for _, files in listing for _, s in files), default=0)
    if memory is not None and newest < time.time_ns() - SETTLED_NS:
        # The digest is right even if it cannot be remembered.
        with contextlib.suppress(OSError):
            write_checked_json(memory, {**remembered, name: (stamps, digest)})
    return digest, count


def device_digest(device: Device[Any], graph: Graph) -> tuple[str, int]:
    """The digest of a device's source code, and the number of files.

    It covers the packages of the device's class (of the registered class, too, where `device` replaces
    it), of the base classes, and of the bridges of the region's ops.
    """
    return packages_digest(_modules(device, graph))


def packages_digest(modules: Iterable[str]) -> tuple[str, int]:
    """The digest of the packages of these modules, and the number of files.

    A module outside any package counts as one file.
    """
    fields: list[str | bytes] = []
    count = 0
    for name, root, files in _packages(modules):
        for file in files:
            fields += [name, file.relative_to(root).as_posix(), _content(file)]
            count += 1
    return digest_of(fields), count


def _files(folder: Path, without: Sequence[str]) -> Iterator[tuple[str, os.stat_result]]:
    pending = [("", str(folder))]
    while pending:
        prefix, place = pending.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__" and (prefix or entry.name not in without):
                        pending.append((f"{prefix}{entry.name}/", entry.path))
                elif entry.is_file():
                    yield prefix + entry.name, entry.stat()


def _stamp_text(path: str, status: os.stat_result) -> str:
    return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _read_digests(path: Path) -> Digests:
    try:
        return {name: (stamps, digest) for name, (stamps, digest) in read_checked_json(path).items()}
    except (ValueError, TypeError):
        return {}


def _modules(device: Device[Any], graph: Graph) -> Iterator[str]:
    for cls in {*type(device).__mro__, *(DEVICES.find(device.name) or Device).__mro__}:
        # A device gives the same models whether or not it runs in a process of its own.
        if not cls.__module__.startswith("lite.runtime."):
            yield cls.__module__
    ops = {node.op for inner in graph.walk() for node in inner}
    names = bridge_names(device)
    # A process that takes its plan from the cache has loaded no bridges yet.
    load_bridges_of(device, sorted(ops | {composite.name for composite in composites_of(device)}))
    for key in BRIDGES:
        # A composite, whose name contains a dot, may replace any op.
        if key[0] in names and (key[1] in ops or "." in key[1]):
            yield BRIDGES.owner(key)


def _packages(modules: Iterable[str]) -> Iterator[tuple[str, Path, list[Path]]]:
    roots: dict[str, tuple[Path, list[Path]]] = {}
    for name in sorted(set(modules)):
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None)
        if module is None or path is None or name.partition(".")[0] in sys.stdlib_module_names:
            continue
        package, folder = module.__package__, Path(path).parent
        if not package:
            roots[name] = folder, [Path(path)]
        elif package not in roots:
            roots[package] = folder, sorted(_module_files(folder))
    for name, (root, files) in roots.items():
        # The files of a package inside another one are among the other's, whether or not it was imported.
        if name.rpartition(".")[0] not in roots:
            yield name, root, files


def _module_files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        if file.name.endswith(_MODULE_SUFFIXES) and "__pycache__" not in file.parts:
            yield file


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        return f"unreadable: {error.errno}".encode()
