"""Compiles all functions of this target ahead of time."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from pathlib import Path

from lite.kernels.cpu.native.folder import CACHE_VARIABLE, writable_folder
from lite.plugin.kernel.aot import AotSteps, Step, aot

_PACKAGE = "lite.kernels.cpu.compiled"


@aot("cpu")
def compile_all() -> AotSteps:
    """One step for each function of the folder `compiled`."""
    if importlib.util.find_spec("numba") is None:
        return AotSteps(why_not="numba is not installed; pip install 'litebridge[jit]'")
    folder = writable_folder()
    if folder is None:
        return AotSteps(
            why_not=f"no folder is writable; name one in the environment variable {CACHE_VARIABLE}"
        )
    from lite.kernels.cpu.native.code_store import compile_code, is_compiled

    def compile_once(name: str) -> bool:
        is_new = not is_compiled(name)
        if is_new:
            compile_code(name)
        return is_new

    return AotSteps(
        [Step(name, functools.partial(compile_once, name)) for name in function_names()], str(folder)
    )


_PARTS = ("jit", "microkernels")
"""Folders of what the functions consist of."""


def function_names() -> list[str]:
    """All functions of the folder `compiled` as ``file.name`` or ``folder.file.name``; imports numba."""
    from lite.kernels.cpu.compiled.jit.entry import Entry

    names: list[str] = []
    folder = Path(__file__).parent / "compiled"
    for path in sorted(folder.rglob("[a-z]*.py")):
        if path.parent.name in _PARTS:
            continue
        file = ".".join(path.relative_to(folder).with_suffix("").parts)
        module = importlib.import_module(f"{_PACKAGE}.{file}")
        names += [
            f"{file}.{name}"
            for name, entry in vars(module).items()
            if isinstance(entry, Entry) and entry.function.__module__ == module.__name__
        ]
    return names
