"""Compiles loops of fusion_group whose text is written when a model is prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.kernels.cpu.compiled.jit import vector
from lite.kernels.cpu.compiled.jit.entry import Entry
from lite.kernels.cpu.compiled.microkernels import elementwise, post_activation


def entry_of(text: str, name: str, kinds: Sequence[str]) -> Entry:
    """The function `name` in a text, which may use all functions of vectors."""
    namespace: dict[str, Any] = {"__name__": __name__}
    for module in (vector, post_activation, elementwise):
        namespace.update((key, value) for key, value in vars(module).items() if not key.startswith("_"))
    exec(compile(text, f"<{name}>", "exec"), namespace)
    return Entry(namespace[name], tuple(kinds))
