"""Finds passes by name: a file ``<name>.py`` below ``lite/passes`` contains the pass `<name>`.

The file is imported when the pass is first used.  Users register passes of their own with the same
decorator, wherever their code is.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from lite.dataclass import dataclass
from lite.errors import ConfigError, PluginError, suggest
from lite.passes.base import Pass
from lite.plugin.registry import Registry
from lite.plugin.source_index import sources
from lite.spec.grammar import Spec
from lite.spec.options import bind

P = TypeVar("P", bound=type[Pass])

PASSES: Registry[str, type[Pass]] = Registry("pass")
"""The passes registered so far; `find_pass` imports more."""


def register_pass(cls: P) -> P:
    """Register a pass under its `name`; raises `PluginError`, naming both owners, if the name is taken."""
    file = pass_files().get(cls.name)
    owner = cls.__module__ if file is None else file.module
    if owner != cls.__module__:
        raise PluginError(f"pass {cls.name} is registered twice: by {owner} and by {cls.__module__}")
    PASSES.add(cls.name, cls, cls.__module__)
    return cls


def find_pass(name: str) -> type[Pass] | None:
    """The class of a pass, whose file is imported if need be; None if no pass has that name.

    Raises `PluginError` for a file that does not register the pass it is named after.
    """
    file = pass_files().get(name)
    if file is not None and name not in PASSES:
        importlib.import_module(file.module)
        if name not in PASSES:
            raise PluginError(f"{file.module} registers no pass {name!r}")
    return PASSES.find(name)


def make_pass(spec: Spec) -> Pass:
    """The pass that a spec names, with its options; raises `ConfigError` if there is no such pass."""
    cls = find_pass(spec.name)
    if cls is None:
        raise ConfigError(
            f"no pass is called {spec.name!r}{suggest(spec.name, pass_names())}; litebridge passes lists them"
        )
    return bind(spec, cls, "pass")


def pass_names() -> list[str]:
    """The names of all passes, those of users included, sorted."""
    return sorted({*pass_files(), *PASSES})


def is_pass(name: str) -> bool:
    """Whether a pass of that name exists."""
    return name in pass_files() or name in PASSES


@dataclass(frozen=True)
class PassFile:
    """The module of a pass, and those attributes of `Pass` that are known before the import."""

    module: str
    after: tuple[str, ...]
    targets: tuple[str, ...]
    needs: tuple[str, ...]


@functools.cache
def pass_files() -> Mapping[str, PassFile]:
    """The passes below ``lite/passes``, by their names; none of them is imported."""
    return {
        source.module.rpartition(".")[2]: PassFile(
            f"{__package__}.{source.module}",
            *(tuple(source.names.get(name, "").split()) for name in ("after", "targets", "needs")),
        )
        for source in sources(Path(__file__).parent)
        if source.module.endswith("_pass")
    }
