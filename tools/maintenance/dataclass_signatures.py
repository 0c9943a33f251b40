"""Extension of griffe, which shows the parameters of `lite.dataclass` classes on the site."""

from __future__ import annotations

from typing import Any

import griffe

_OURS, _STANDARD = "lite.dataclass.dataclass", "dataclasses.dataclass"


class DataclassSignatures(griffe.Extension):
    """Griffe knows the standard decorator alone, so ours is shown to it under that name."""

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        """Rename the decorator in a module that imports it."""
        for name, path in mod.imports.items():
            if path == _OURS:
                member = mod.members[name]
                assert isinstance(member, griffe.Alias)
                member.target_path = _STANDARD
