"""Registers modules of litebridge under the module names of another project, and removes them again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from lite.errors import PluginError


class _ShimModule(ModuleType):
    """A module that `ModuleShim.install` created."""


class ModuleShim:
    """Modules that an import finds instead of the package `root`.

    `members` maps each module's name, parents first, to the members of the module by name.  `api` is the
    name of the package in `lite.compat`, for messages.  `version` becomes the ``__version__`` of `root`.
    """

    def __init__(
        self, root: str, api: str, members: Mapping[str, Mapping[str, object]], version: str
    ) -> None:
        self._root = root
        self._api = api
        self._members = members
        self._version = version

    def check(self) -> None:
        """Raise `PluginError` if the real package is already imported."""
        real = [name for name in self._loaded() if not isinstance(sys.modules[name], _ShimModule)]
        if real:
            raise PluginError(
                f"the real {self._root} is already imported ({real[0]}, from "
                f"{_origin(sys.modules[real[0]])}); call {self._api}.install() before any module imports "
                f"{self._root}, or run this program in another process"
            )

    def install(self) -> None:
        """Make imports of `root` find these modules; a second call changes nothing.

        Raises `PluginError` if the real package is already imported.
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

        Modules that imported the shim keep it.
        """
        for name in self._loaded():
            if isinstance(sys.modules[name], _ShimModule):
                del sys.modules[name]

    def _loaded(self) -> list[str]:
        """The imported modules of the package, real or not."""
        names = [name for name in sys.modules if name == self._root or name.startswith(f"{self._root}.")]
        return [name for name in names if sys.modules[name] is not None]

    def _module(self, name: str, members: Mapping[str, object]) -> ModuleType:
        module = _ShimModule(name, f"litebridge's shim for {self._root}; see lite.compat.{self._api}.")
        module.__spec__ = ModuleSpec(name, None, origin="litebridge", is_package=True)
        module.__path__ = []
        module.__package__ = name
        vars(module).update(members)
        vars(module)["__all__"] = [name for name in members if not name.startswith("__")]
        if name == self._root:
            vars(module)["__version__"] = self._version
        return module


def named(members: Sequence[Callable[..., object]]) -> dict[str, object]:
    """Classes and functions by their own names."""
    return {member.__name__: member for member in members}


def _origin(module: ModuleType) -> str:
    return module.__spec__.origin or "unknown" if module.__spec__ else "unknown"
