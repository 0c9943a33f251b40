"""Machine code on disk, and compiling what is not there."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lite.kernels.cpu.machine import machine
from lite.kernels.cpu.native.folder import CACHE_VARIABLE, keep, read_kept, writable_folder

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
    found = _kept(name)
    if found is None:
        _say_once()
        found = compile_code(name, make)
    return found


def is_compiled(name: str) -> bool:
    """Whether the code is on disk."""
    return _kept(name) is not None


def compile_code(name: str, make: MakeEntry | None = None) -> Code:
    """Compile a function, about a second's work, and keep its code."""
    entry = _named(name) if make is None else make()
    code = Code(entry.parameters, entry.object_code(SYMBOL))
    header = {"parameters": code.parameters, "sha256": hashlib.sha256(code.content).hexdigest()}
    keep(_file_name(name), json.dumps(header).encode() + b"\n" + code.content)
    return code


def _named(name: str) -> Compilable:
    file, _, function = name.rpartition(".")
    found: Compilable = getattr(importlib.import_module(f"{_PACKAGE}.{file}"), function)
    return found


def _file_name(name: str) -> str:
    return f"{name}-{_key()}.code"


@functools.cache
def _key() -> str:
    """A hash of all sources that code is made from, and of the machine."""
    digest = hashlib.sha256(f"{sys.platform} {machine()}".encode())
    for path in sorted(_SOURCES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _kept(name: str) -> Code | None:
    for content in read_kept(_file_name(name)):
        header, _, code = content.partition(b"\n")
        try:
            found = json.loads(header)
            if hashlib.sha256(code).hexdigest() == found["sha256"]:
                return Code(tuple(found["parameters"]), code)
        except (ValueError, KeyError, TypeError):
            # Damaged: it is compiled again.
            continue
    return None


@functools.cache
def _say_once() -> None:
    folder = writable_folder()
    if folder is None:
        log.warning(
            "compiling kernels, which no folder can be written to keep: each process will do so; "
            "name a folder in the environment variable %s",
            CACHE_VARIABLE,
        )
    else:
        log.warning(
            "compiling kernels for this machine into %s; this happens once, "
            "and `litebridge warmup` does it ahead of the first run",
            folder,
        )
