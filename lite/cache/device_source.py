"""The files that a device's code is made of, so that an edited bridge gives another key."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lite.cache.field_digest import digest_of
from lite.ir.graph import Graph
from lite.plugin.device import BRIDGES, DEVICES, Device

_SUFFIXES = tuple(importlib.machinery.all_suffixes())


def device_source(device: Device[Any], graph: Graph) -> tuple[str, int]:
    """The digest of a device's source and how many files that is.

    Those are all modules in the packages of the device's class (as it is registered, too, where `device`
    stands for another), of the classes that it is made from, and of the bridges of the region's ops; a
    module that lies in no package is one file.
    """
    return package_source(_modules(device, graph))


def package_source(modules: Iterable[str]) -> tuple[str, int]:
    """The digest of the packages that modules lie in, and how many files that is."""
    fields: list[str | bytes] = []
    count = 0
    for name, root, files in _packages(modules):
        for file in files:
            fields += [name, file.relative_to(root).as_posix(), _content(file)]
            count += 1
    return digest_of(fields), count


def _modules(device: Device[Any], graph: Graph) -> Iterator[str]:
    for cls in {*type(device).__mro__, *(DEVICES.find(device.name) or Device).__mro__}:
        # Where a device runs, in a process of its own or not, changes no model.
        if not cls.__module__.startswith("lite.runtime."):
            yield cls.__module__
    ops = {node.op for inner in graph.walk() for node in inner}
    for key in BRIDGES:
        # A composite, whose name has a dot, may take the place of any op.
        if key[0] == device.name and (key[1] in ops or "." in key[1]):
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
        yield name, root, files


def _module_files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        if file.name.endswith(_SUFFIXES) and "__pycache__" not in file.parts:
            yield file


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        return f"unreadable: {error.errno}".encode()
