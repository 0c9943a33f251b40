"""How functions are compiled, and where the machine code is kept."""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching, types
from numba.core.runtime import rtsys
from numba.extending import intrinsic

log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])

CACHE_VARIABLE = "LITEBRIDGE_KERNEL_CACHE"
"""Environment variable: the folder for machine code."""

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}

ENTRIES: list[Any] = []
"""Every compiled function that kernels call, to compile ahead of use."""


def instruction(function: Callable[..., Any]) -> Any:
    """A function whose machine code it emits itself (numba's `intrinsic`), for compiled functions."""
    return intrinsic(function)


def inner(function: F) -> F:
    """A function that compiled functions call; it becomes part of them."""
    return cast(F, numba.njit(**_OPTIONS)(function))


def entry(*parameters: str) -> Callable[[F], F]:
    """A function that kernels call, with the types of its parameters, compiled at its first call.

    A type is ``i`` (int64), ``f`` (float32), or ``r`` or ``w`` and a number of axes: a contiguous array of
    float32 that is read, or written; ``n`` is a vector of int64.  The machine code is kept in a folder,
    under a key that has all sources of this package in it: functions are compiled once per machine.
    """

    def compile_lazily(function: F) -> F:
        compiled = _Entry(function, parameters)
        ENTRIES.append(compiled)
        return cast(F, compiled)

    return compile_lazily


class _Entry:
    """A function that is compiled, or loaded, when it is called first."""

    __name__: str

    def __init__(self, function: Callable[..., Any], parameters: tuple[str, ...]) -> None:
        self.function = function
        self.parameters = parameters
        self._compiled: Any = None
        self._lock = threading.Lock()
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        compiled = self._compiled
        if compiled is None:
            compiled = self.compile()
        return compiled(*arguments)

    def compile(self) -> Any:
        """The compiled function; compiling it takes about a second, loading it some milliseconds."""
        with self._lock:
            if self._compiled is None:
                dispatcher = numba.njit(**_OPTIONS)(self.function)
                # What `cache=True` does, with a folder and a key of ours.
                dispatcher._cache = _Cache(self.function)
                if not dispatcher._cache._cache_file._load_index():
                    _say_once()
                dispatcher.compile(self.signature)
                dispatcher.disable_compile()
                self._compiled = dispatcher
            return self._compiled

    @property
    def signature(self) -> tuple[Any, ...]:
        """The types of the parameters."""
        return tuple(_type(text) for text in self.parameters)

    def compile_ahead(self) -> bool:
        """Compile the function; whether it was not compiled before, in this or another process."""
        is_new = self._compiled is None
        return is_new and not self.compile().stats.cache_hits


@functools.cache
def _say_once() -> None:
    log.warning(
        "compiling kernels for this machine into %s; this happens once, "
        "and `litebridge warmup` does it ahead of the first run",
        cache_folder(),
    )


def _type(text: str) -> Any:
    if text == "i":
        return types.int64
    if text == "f":
        return types.float32
    if text == "n":
        return types.Array(types.int64, 1, "C", readonly=True)
    return types.Array(types.float32, int(text[1:]), "C", readonly=text[0] == "r")


@functools.cache
def cache_folder() -> Path:
    """Where machine code is kept: the named folder, beside the sources, or the user's cache."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    beside = Path(__file__).parent / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "litebridge" / "kernels"
    for folder in (beside, home):
        if _is_writable(folder):
            return folder
    return Path(tempfile.gettempdir()) / "litebridge" / "kernels"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    def __init__(self, function: Any) -> None:
        self._name = str(function.__module__).rpartition(".")[2]

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return _sources()

    def get_disambiguator(self) -> str:
        return self._name

    @classmethod
    def from_function(cls, py_func: Any, _: str) -> _Locator:
        return cls(py_func)


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012  # as numba has it


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept of a function; loading it needs none of what numba registers for compiling."""
        # numba's own method first imports all that, and scipy, which takes longer than a run of a model.
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
