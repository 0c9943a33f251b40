"""Keeps machine code on disk, and compiles functions that are not there."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import logging
import sys
from collections.abc import Sequence
from typing import Protocol

from lite.dataclass import dataclass
from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.machine import machine
from lite.kernels.cpu.native.folder import CACHE_VARIABLE, keep, read_kept, writable_folder
from lite.kernels.cpu.native.source_key import source_key
from lite.plugin.kernel.run_context import current_run

log = logging.getLogger(__name__)

_PACKAGE = "lite.kernels.cpu.compiled"


@dataclass(frozen=True)
class Code:
    """An object file that defines one function, named `SYMBOL`, and the kinds of its parameters."""

    parameters: tuple[str, ...]
    content: bytes


SYMBOL = "kernel"


class Compilable(Protocol):
    """A function to compile: see `compiled.jit.decorators.entry.Entry`."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The kinds of its parameters."""

    def object_code(self, symbol: str) -> bytes:
        """An object file with the function under this name."""


TARGET = "cpu"


def find_code(name: str, source: Sequence[str] = ()) -> Code:
    """The code of a function from disk, or compiled now.

    The function is ``file.name`` of the folder `compiled`; or that of `source`, a text in Python and the
    kinds of its parameters.  Raises `NotCompiledError` where the run does not wait for it.
    """
    code = kept_code(name)
    if code is None:
        missing = current_run().missing
        if missing is not None and writable_folder() is not None:
            missing.refuse(TARGET, name, source)
        _warn_once()
        code = compile_code(name, source)
    return code


def is_compiled(name: str) -> bool:
    """Whether the code is on disk."""
    return kept_code(name) is not None


def compile_code(name: str, source: Sequence[str] = ()) -> Code:
    """Compile a function, which takes about a second, and keep its code."""
    entry = _of_source(name, *source) if source else _named(name)
    code = Code(entry.parameters, entry.object_code(SYMBOL))
    log.debug("compiled the kernel %s", name)
    keep(_file_name(name), json.dumps({"parameters": code.parameters}).encode() + b"\n" + code.content)
    return code


def _named(name: str) -> Compilable:
    file, _, function = name.rpartition(".")
    entry: Compilable = getattr(importlib.import_module(f"{_PACKAGE}.{file}"), function)
    return entry


def _of_source(name: str, text: str, *kinds: str) -> Compilable:
    entry: Compilable = importlib.import_module(f"{_PACKAGE}.microkernels.fusion_group").entry_of(
        text, name, kinds
    )
    return entry


def _file_name(name: str) -> str:
    return f"{name}-{code_key()}.code"


@functools.cache
def code_key() -> str:
    """A hash of the system, the machine, the mode, and all sources of this target."""
    text = f"{sys.platform} {machine()} {IS_CHECKED} {source_key()}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def kept_code(name: str) -> Code | None:
    """The code from disk; None if it is not there."""
    for content in read_kept(_file_name(name)):
        header, _, code = content.partition(b"\n")
        try:
            return Code(tuple(json.loads(header)["parameters"]), code)
        except (ValueError, KeyError, TypeError):
            # Signed by a version with another format: compile again.
            continue
    return None


@functools.cache
def _warn_once() -> None:
    folder = writable_folder()
    if folder is None:
        log.warning(
            "compiling kernels in each process, as no folder to keep them is writable; "
            "name a folder in the environment variable %s",
            CACHE_VARIABLE,
        )
    else:
        log.warning(
            "compiling kernels for this machine into %s; this happens once; "
            "`litebridge warmup` does it before the first run",
            folder,
        )
