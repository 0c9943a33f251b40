"""Machine code of C sources: compiled once for a user and a processor, kept, and linked into the process.

Machine code that another user wrote, or that a file of a model contains, is never linked.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lite.errors import CompileError
from lite.plugin.device.machine_code import digest_of, keep, kept
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.trusted_folder import scratch_folder, uses_environment

FOLDER = "c-objects"
"""The folder for machine code in the user's private folder."""

_VERSION = "2"
_FLAGS = ("-std=gnu99", "-O3", "-fPIC", "-shared")
_COMPILERS = ("cc", "gcc", "clang")
_LONGEST = 600
"""The most seconds of a compilation; a longer one is ended."""

_lock = OwnedLock()
_linked: dict[str, ctypes.CDLL] = {}


def link_source(content: bytes, code: str, flags: Sequence[str]) -> ctypes.CDLL:
    """The library of a C file: the one that this user has kept for `content`, else compiled with `flags`.

    `content` is everything that the library depends on, including the code.  Raises `CompileError` if there
    is no C compiler, and with the messages of a compiler that fails.
    """
    name = _name(content, flags)
    with _lock:
        library = _linked.get(name)
        if library is None:
            machine_code = kept(FOLDER, name)
            if machine_code is None:
                machine_code = _compile(code, flags)
                keep(FOLDER, name, machine_code)
            library = _linked[name] = _link(machine_code)
        return library


def link_kept(content: bytes, flags: Sequence[str]) -> ctypes.CDLL | None:
    """The library that this user compiled on this processor for `content`; None if there is none."""
    name = _name(content, flags)
    with _lock:
        library = _linked.get(name)
        if library is None:
            machine_code = kept(FOLDER, name)
            if machine_code is None:
                return None
            library = _linked[name] = _link(machine_code)
        return library


def compiler() -> list[str]:
    """The command of the C compiler: ``$CC``, or the first of cc, gcc and clang; empty if there is none."""
    named = shlex.split(os.environ.get("CC", "")) if uses_environment() else []
    if named:
        return named if shutil.which(named[0]) else []
    found = next(filter(None, map(shutil.which, _COMPILERS)), None)
    return [] if found is None else [found]


def _name(content: bytes, flags: Sequence[str]) -> str:
    fields = [field.encode() for field in (_VERSION, *_FLAGS, *flags)]
    return f"{digest_of(*fields, content)}.so"


def _compile(code: str, flags: Sequence[str]) -> bytes:
    command = compiler()
    if not command:
        raise CompileError("there is no C compiler: install one, or name its command in CC")
    with _scratch() as folder:
        source, result = Path(folder, "region.c"), Path(folder, "region.so")
        source.write_text(code, encoding="utf-8")
        command += [*_FLAGS, *flags, source.name, "-o", result.name, "-lm"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_LONGEST, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise CompileError(
                f"the C compiler {command[0]} did not end within {_LONGEST} seconds"
            ) from error
        except OSError as error:
            raise CompileError(f"the C compiler {command[0]} cannot be run: {error}") from error
        if done.returncode or not result.is_file():
            first = "\n".join(done.stderr.strip().splitlines()[:10])
            raise CompileError(f"the C compiler {command[0]} ended with status {done.returncode}:\n{first}")
        return result.read_bytes()


def _scratch() -> tempfile.TemporaryDirectory[str]:
    try:
        return scratch_folder()
    except OSError as error:
        raise CompileError(f"no temporary folder for compiled code can be created: {error}") from error


def _link(machine_code: bytes) -> ctypes.CDLL:
    with _scratch() as folder:
        path = Path(folder, "region.so")
        path.write_bytes(machine_code)
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            raise CompileError(f"the compiled code cannot be linked: {error}") from error
