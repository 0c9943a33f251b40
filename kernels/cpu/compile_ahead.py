"""Compiling all functions before a model needs them."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from lite.plugin.ahead import Ahead, Step, ahead

_PACKAGE = "lite.kernels.cpu.compiled"


@ahead("cpu")
def compile_all() -> Ahead:
    """A step for each function that kernels call."""
    if importlib.util.find_spec("numba") is None:
        return Ahead(why_not="numba is not installed; pip install litebridge[jit]")
    from lite.kernels.cpu.compiled.jit import ENTRIES, cache_folder

    for path in sorted((Path(__file__).parent / "compiled").glob("*.py")):
        importlib.import_module(f"{_PACKAGE}.{path.stem}" if path.stem != "__init__" else _PACKAGE)
    return Ahead([Step(entry.__name__, entry.compile_ahead) for entry in ENTRIES], str(cache_folder()))
