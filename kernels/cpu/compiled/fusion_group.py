"""Loops over vectors whose text is written while models are prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.kernels.cpu.compiled import elementwise, late, vector
from lite.kernels.cpu.compiled.entry import Entry


def entry_of(text: str, name: str, kinds: Sequence[str]) -> Entry:
    """The function of that name in a text, which may use all functions of vectors."""
    space: dict[str, Any] = {"__name__": __name__}
    for module in (vector, late, elementwise):
        space.update((key, value) for key, value in vars(module).items() if not key.startswith("_"))
    exec(compile(text, f"<{name}>", "exec"), space)
    return Entry(space[name], tuple(kinds))
