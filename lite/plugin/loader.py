"""Finds plug-ins by folder and entry point, and imports only the files that are needed.

Only this module knows where plug-ins are, and no module imports them by statement.  The loader imports a
file for an op if the file contains the op's name as a string literal, or ``ops_with(Trait.NAME)`` with a
trait of the op, so an index of all plug-ins imports none of them.  Packages outside this distribution
join by the entry-point group ``litebridge.plugins``: the value names a package whose modules register
kernels, bridges or parsers in the same way.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lite.errors import PluginError
from lite.ops import Trait, ops_with
from lite.plugin.entry_points import packages_of

KERNELS = "lite.kernels"
BRIDGES = "lite.bridges"
MODEL_PARSERS = "lite.model_parser"
ENTRY_POINTS = "litebridge.plugins"

_LITERAL = re.compile(r"""["']([a-z][\w.]*)["']""")
_TRAIT = re.compile(r"\bops_with\(Trait\.([A-Z_]+)\)")


def load_kernels(ops: Iterable[str]) -> None:
    """Import every plug-in file that names one of these op types or a trait of one."""
    load_modules(kernel_modules(ops))


def kernel_modules(ops: Iterable[str]) -> list[str]:
    """The modules that `load_kernels` imports; none is imported."""
    index = _literals(KERNELS)
    return sorted({module for op in ops for module in index.get(op, ())})


def load_modules(modules: Iterable[str]) -> None:
    """Import plug-in files by module name."""
    for module in modules:
        _import(module)


def outside_packages() -> dict[str, list[Path]]:
    """The folders of the packages that join by entry point; none is imported."""
    return {package: _folders(package) for package in packages_of(ENTRY_POINTS)}


def load_all_kernels() -> None:
    """Import every file that registers kernels, for listings and tests."""
    for module, text in _files(KERNELS):
        if "kernel(" in text:
            _import(module)


def load_aot() -> None:
    """Import every kernel file that registers work that can be done ahead of time."""
    for module, text in _files(KERNELS):
        if "@aot(" in text:
            _import(module)


def load_bridges(device: str, ops: Iterable[str]) -> None:
    """Import the bridges of a device for these op types, including those that join by entry point."""
    index = _literals(BRIDGES)
    for module in sorted({module for op in ops for module in index.get(op, ())}):
        if not module.startswith(f"{BRIDGES}.") or module.startswith(f"{BRIDGES}.{device}."):
            _import(module)


def load_all_bridges(device: str) -> None:
    """Import every bridge of a device, for listings and tests."""
    for module, text in _files(BRIDGES):
        if module.startswith(f"{BRIDGES}.{device}.") or f'"{device}"' in text:
            _import(module)


def load_devices(name: str = "") -> None:
    """Import every file that registers a device, or only the file of one device; none imports its SDK."""
    decorator = f'@device("{name}")' if name else "@device("
    for module, text in _files(BRIDGES):
        if decorator in text:
            _import(module)


def load_parsers() -> None:
    """Import every file that registers a model parser."""
    for module, text in _files(MODEL_PARSERS):
        if "@model_parser(" in text:
            _import(module)


def load_writers() -> None:
    """Import every file that registers a model writer; none imports its library."""
    for root in (BRIDGES, MODEL_PARSERS):
        for module, text in _files(root):
            if "@model_writer(" in text:
                _import(module)


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise PluginError(f"plug-in {module} cannot be imported: {error}") from error


@functools.cache
def _literals(root: str) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    # Not `_files`, which would keep a megabyte of text in memory.
    for module, text in _read_files(root):
        words = set(_LITERAL.findall(text))
        for name in set(_TRAIT.findall(text)) & Trait.__members__.keys():
            words |= ops_with(Trait[name])
        for word in sorted(words):
            index.setdefault(word, []).append(module)
    return index


@functools.cache
def _files(root: str) -> list[tuple[str, str]]:
    """The module names and texts of the plug-ins under `root` and of those that join by entry point."""
    return list(_read_files(root))


def _read_files(root: str) -> Iterator[tuple[str, str]]:
    for package in [root, *packages_of(ENTRY_POINTS)]:
        for folder in _folders(package):
            for parts, text in _sources(folder):
                yield ".".join((package, *parts)), text


def _sources(folder: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each module in `folder`, and its text.

    Every start reads hundreds of files this way, so it is written for speed.
    """
    files: list[tuple[str, ...]] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        above = Path(parent).relative_to(folder).parts
        files += ((*above, name.removesuffix(".py")) for name in names if name.endswith(".py"))
    for parts in sorted(files):
        if parts[-1] != "__init__" and not parts[-1].endswith("_pb2"):
            with open(f"{os.path.join(folder, *parts)}.py", "rb") as file:
                yield parts, file.read().decode()


def _folders(package: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(package)
    except ImportError as error:
        raise PluginError(f"plug-in package {package!r} cannot be imported: {error}") from error
    if spec is None or spec.submodule_search_locations is None:
        link = Path(__file__).parent.parent / package.rpartition(".")[2]
        if link.is_file():
            raise PluginError(
                f"{link} is a text file where a symbolic link to ../{link.name} belongs: "
                "check out again with git's core.symlinks=true, or install the wheel"
            )
        raise PluginError(f"plug-in package {package!r} cannot be found; is the installation complete?")
    return [Path(location) for location in spec.submodule_search_locations]
