"""Puts a package of ours under another project's module names, and takes it away again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from lite.errors import PluginError


class _StandInModule(ModuleType):
    """A module that `StandIn.install` made."""


class StandIn:
    """Modules that are found instead of the package `root`.

    `members` has the modules, parents first, and what each has under its own name.  `api` is the name
    of our package, for messages.
    """

    def __init__(
        self, root: str, api: str, members: Mapping[str, Sequence[Callable[..., object]]], version: str
    ) -> None:
        self._root = root
        self._api = api
        self._members = members
        self._version = version

    def check(self) -> None:
        """Raises `PluginError` when the real package is imported already."""
        real = [name for name in self._loaded() if not isinstance(sys.modules[name], _StandInModule)]
        if real:
            raise PluginError(
                f"the real {self._root} is imported already ({real[0]}, from "
                f"{_origin(sys.modules[real[0]])}); call {self._api}.install() before anything imports it, "
                "or in a process of its own"
            )

    def install(self) -> None:
        """Make imports of `root` find the modules; nothing changes where they are installed.

        Raises `PluginError` when the real package is imported already.
        """
        self.check()
        if self._loaded():
            return
        for name, members in self._members.items():
            module = self._module(name, members)
            parent, _, child = name.rpartition(".")
            if parent:
                vars(sys.modules[parent])[child] = module
            sys.modules[name] = module

    def uninstall(self) -> None:
        """Undo `install`: the next import finds the real package or none.

        Modules that imported the stand-in keep it.
        """
        for name in self._loaded():
            if isinstance(sys.modules[name], _StandInModule):
                del sys.modules[name]

    def _loaded(self) -> list[str]:
        """Modules of the package, real or not, that are imported."""
        names = [name for name in sys.modules if name == self._root or name.startswith(f"{self._root}.")]
        return [name for name in names if sys.modules[name] is not None]

    def _module(self, name: str, members: Sequence[Callable[..., object]]) -> ModuleType:
        module = _StandInModule(name, f"litebridge's stand-in for {self._root}; see lite.compat.{self._api}.")
        module.__spec__ = ModuleSpec(name, None, origin="litebridge", is_package=True)
        module.__path__ = []
        module.__package__ = name
        vars(module).update({member.__name__: member for member in members})
        vars(module)["__all__"] = [member.__name__ for member in members]
        if name == self._root:
            vars(module)["__version__"] = self._version
        return module


def _origin(module: ModuleType) -> str:
    return module.__spec__.origin or "unknown" if module.__spec__ else "unknown"
