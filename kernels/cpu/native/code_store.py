"""Machine code on disk, and compiling what is not there."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lite.kernels.cpu.machine import processor_key
from lite.kernels.cpu.native.folder import cache_folder, write_whole

log = logging.getLogger(__name__)

_SOURCES = Path(__file__).parent.parent
_PACKAGE = "lite.kernels.cpu.compiled"


@dataclass(frozen=True)
class Code:
    """An object file that defines one function under the name `SYMBOL`, and the kinds of its parameters."""

    parameters: tuple[str, ...]
    content: bytes


SYMBOL = "kernel"


class Compilable(Protocol):
    """A function that is not compiled yet: see `compiled.entry`."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The kinds of its parameters."""

    def object_code(self, symbol: str) -> bytes:
        """Compile it."""


MakeEntry = Callable[[], Compilable]


def find_code(name: str, make: MakeEntry | None = None) -> Code:
    """The code of a function, compiled now where this machine has not done so before.

    It is ``file.name`` of the folder `compiled`, or what `make` makes.
    """
    found = _read(_path(name))
    if found is None:
        _say_once()
        found = compile_code(name, make)
    return found


def is_compiled(name: str) -> bool:
    """Whether the code is on disk."""
    return _read(_path(name)) is not None


def compile_code(name: str, make: MakeEntry | None = None) -> Code:
    """Compile a function, about a second's work, and keep its code."""
    entry = _named(name) if make is None else make()
    code = Code(entry.parameters, entry.object_code(SYMBOL))
    header = {"parameters": code.parameters, "sha256": hashlib.sha256(code.content).hexdigest()}
    write_whole(_path(name), json.dumps(header).encode() + b"\n" + code.content)
    return code


def _named(name: str) -> Compilable:
    file, _, function = name.rpartition(".")
    found: Compilable = getattr(importlib.import_module(f"{_PACKAGE}.{file}"), function)
    return found


def _path(name: str) -> Path:
    return cache_folder() / f"{name}-{_key()}.code"


@functools.cache
def _key() -> str:
    """A hash of all sources that code is made from, and of the processor."""
    digest = hashlib.sha256(processor_key().encode())
    for path in sorted([*_SOURCES.glob("compiled/*.py"), *_SOURCES.glob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> Code | None:
    try:
        header, _, content = path.read_bytes().partition(b"\n")
        found = json.loads(header)
        if hashlib.sha256(content).hexdigest() == found["sha256"]:
            return Code(tuple(found["parameters"]), content)
    except (OSError, ValueError, KeyError, TypeError):
        # Not there, or damaged: it is compiled again.
        return None
    return None


@functools.cache
def _say_once() -> None:
    log.warning(
        "compiling kernels for this machine into %s; this happens once, "
        "and `litebridge warmup` does it ahead of the first run",
        cache_folder(),
    )
