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
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from lite.errors import PluginError
from lite.plugin.entry_points import packages_of
from lite.plugin.source_index import Source, sources

KERNELS = "lite.kernels"
BRIDGES = "lite.bridges"
MODEL_PARSERS = "lite.model_parser"
EMITTERS = "lite.emitters"
ENTRY_POINTS = "litebridge.plugins"


def load_kernels(ops: Iterable[str], targets: Collection[str] | None = None) -> None:
    """Import every file that registers kernels, and names one of these op types or a trait of one.

    With `targets`, the files in the folders of other targets are left out.
    """
    load_modules(kernel_modules(ops, targets))


def kernel_modules(ops: Iterable[str], targets: Collection[str] | None = None) -> list[str]:
    """The modules that `load_kernels` imports; none is imported."""
    index = modules_by_word(KERNELS)
    registering = set(modules_that_call("kernel", KERNELS))
    found = sorted({module for op in ops for module in index.get(op, ()) if module in registering})
    return [module for module in found if targets is None or _may_be_for(module, targets)]


def _may_be_for(module: str, targets: Collection[str]) -> bool:
    """Whether a module of kernels may have some of these targets: that of its folder, or any one outside."""
    return not module.startswith(f"{KERNELS}.") or module.split(".")[2] in targets


def load_modules(modules: Iterable[str]) -> None:
    """Import plug-in files by module name."""
    for module in modules:
        _import(module)


def outside_packages() -> dict[str, list[Path]]:
    """The folders of the packages that join by entry point; none is imported."""
    return {package: _folders(package) for package in packages_of(ENTRY_POINTS)}


def load_all_kernels() -> None:
    """Import every file that registers kernels, for listings and tests."""
    load_modules(modules_that_call("kernel", KERNELS))


def load_aot() -> None:
    """Import every kernel file that registers work that can be done ahead of time."""
    load_modules(modules_that_call("aot", KERNELS))


def load_compilers() -> None:
    """Import every kernel file that registers the compiler of a target."""
    load_modules(modules_that_call("kernel_compiler", KERNELS))


def load_bridges(device: str, ops: Iterable[str]) -> None:
    """Import the bridges of a device for these op types, including those that join by entry point."""
    index = modules_by_word(BRIDGES)
    for module in sorted({module for op in ops for module in index.get(op, ())}):
        if not module.startswith(f"{BRIDGES}.") or module.startswith(f"{BRIDGES}.{device}."):
            _import(module)


def load_all_bridges(device: str) -> None:
    """Import every bridge of a device, for listings and tests."""
    for module, source in _files(BRIDGES):
        if module.startswith(f"{BRIDGES}.{device}.") or device in source.words.split():
            _import(module)


def load_devices(name: str = "") -> None:
    """Import every file that registers a device, or only the file of one device; none imports its SDK."""
    for module, source in _files(BRIDGES):
        if name in source.devices.split() if name else source.devices:
            _import(module)


def load_parsers() -> None:
    """Import every file that registers a model parser."""
    for _ in parsers_in_turn():
        pass


def parsers_in_turn() -> Iterator[None]:
    """Import the files that register model parsers, one with each step."""
    for module in modules_that_call("model_parser", MODEL_PARSERS):
        _import(module)
        yield


def load_writers() -> None:
    """Import every file that registers a model writer; none imports its library."""
    for root in (BRIDGES, MODEL_PARSERS):
        load_modules(modules_that_call("model_writer", root))


@functools.cache
def modules_that_call(name: str, root: str) -> list[str]:
    """The modules under a package, and of outside packages, that call a registering function."""
    return [module for module, source in _files(root) if name in source.calls.split()]


@functools.cache
def modules_by_word(root: str) -> dict[str, list[str]]:
    """The modules that may register something for an op type: their text names it or a trait of it."""
    from lite.ops import Trait, ops_with  # a start by stored runs needs no ops

    index: dict[str, list[str]] = {}
    for module, source in _files(root):
        traits = [ops_with(Trait[name]) for name in source.traits.split() if name in Trait.__members__]
        for word in set(source.words.split()).union(*traits):
            index.setdefault(word, []).append(module)
    return index


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise PluginError(f"plug-in {module} cannot be imported: {error}") from error


@functools.cache
def _files(root: str) -> list[tuple[str, Source]]:
    """The modules under `root`, and those of the packages that join by entry point."""
    return [
        (f"{package}.{source.module}", source)
        for package in [root, *packages_of(ENTRY_POINTS)]
        for folder in _folders(package)
        for source in sources(folder)
    ]


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
