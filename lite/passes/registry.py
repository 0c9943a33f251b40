"""Finds passes by name: a file ``<name>.py`` under ``lite/passes`` holds the pass `<name>`.

A file is imported when its pass is asked for.
Passes of users register with the same decorator, wherever their code lives.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from lite.errors import ConfigError, PluginError, suggest
from lite.passes.base import Pass
from lite.plugin.registry import Registry
from lite.spec.grammar import Spec
from lite.spec.options import bind

P = TypeVar("P", bound=type[Pass])

PASSES: Registry[str, type[Pass]] = Registry("pass")
"""The passes registered so far; `find_pass` imports more."""


def register_pass(cls: P) -> P:
    """Make a pass known under its `name`; raises `PluginError` naming both owners when it is taken."""
    ours = pass_files().get(cls.name, cls.__module__)
    if ours != cls.__module__:
        raise PluginError(f"pass {cls.name} is registered twice: by {ours} and by {cls.__module__}")
    PASSES.add(cls.name, cls, cls.__module__)
    return cls


def find_pass(name: str) -> type[Pass] | None:
    """The class of a pass, imported now if it is ours, or None when no pass has that name.

    Raises `PluginError` for a file that does not register the pass it is named after.
    """
    module = pass_files().get(name)
    if module is not None and name not in PASSES:
        importlib.import_module(module)
        if name not in PASSES:
            raise PluginError(f"{module} registers no pass {name!r}")
    return PASSES.find(name)


def make_pass(spec: Spec) -> Pass:
    """The pass that a spec names, with its options; raises `ConfigError` when there is none."""
    cls = find_pass(spec.name)
    if cls is None:
        raise ConfigError(f"no pass is called {spec.name!r}{suggest(spec.name, pass_names())}")
    return bind(spec, cls, "pass")


def pass_names() -> list[str]:
    """Every pass there is, ours and those of users, sorted."""
    return sorted({*pass_files(), *PASSES})


@functools.cache
def pass_files() -> Mapping[str, str]:
    """The module of each of our passes by the pass's name."""
    folder = Path(__file__).parent
    files = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*_pass.py"))
    return {path.name: ".".join((__package__, *path.parts)) for path in files}
