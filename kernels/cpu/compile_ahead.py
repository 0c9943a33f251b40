"""Compiling all functions before a model needs them."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from pathlib import Path

from lite.kernels.cpu.native.folder import CACHE_VARIABLE, writable_folder
from lite.plugin.kernel.aot import Ahead, Step, ahead

_PACKAGE = "lite.kernels.cpu.compiled"


@ahead("cpu")
def compile_all() -> Ahead:
    """A step for each function that kernels call."""
    if importlib.util.find_spec("numba") is None:
        return Ahead(why_not="numba is not installed; pip install litebridge[jit]")
    folder = writable_folder()
    if folder is None:
        return Ahead(why_not=f"no folder can be written to; name one in the variable {CACHE_VARIABLE}")
    from lite.kernels.cpu.native.code_store import compile_code, is_compiled

    def compile_once(name: str) -> bool:
        is_new = not is_compiled(name)
        if is_new:
            compile_code(name)
        return is_new

    return Ahead(
        [Step(name, functools.partial(compile_once, name)) for name in function_names()], str(folder)
    )


def function_names() -> list[str]:
    """All functions of the folder `compiled`, as ``file.name``; numba is imported."""
    from lite.kernels.cpu.compiled.entry import Entry

    names: list[str] = []
    for path in sorted((Path(__file__).parent / "compiled").glob("[a-z]*.py")):
        module = importlib.import_module(f"{_PACKAGE}.{path.stem}")
        names += [
            f"{path.stem}.{name}"
            for name, found in vars(module).items()
            if isinstance(found, Entry) and found.function.__module__ == module.__name__
        ]
    return names
