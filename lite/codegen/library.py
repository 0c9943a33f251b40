"""The shared library of an exported model, compiled by the Makefile among its files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from lite.errors import CompileError
from lite.trusted_folder import scratch_folder, uses_environment

_LONGEST = 1800
"""Seconds after which a compilation is given up."""


def compiled_library(files: Mapping[str, bytes], name: str) -> bytes:
    """The library `name` that ``make`` builds from the files of a folder, with ``$CC`` as compiler, or gcc.

    Raises `CompileError` where make or the compiler is missing or fails, and without a folder to compile in.
    """
    make, compiler = shutil.which("make"), _compiler()
    if make is None or shutil.which(compiler.split()[0]) is None:
        missing = "make" if make is None else f"the compiler {compiler}"
        raise CompileError(f"{name}: {missing} is not installed; --target c writes the sources alone")
    try:
        scratch = scratch_folder()
    except OSError as error:
        raise CompileError(f"{name}: there is no folder to compile in: {error}") from error
    with scratch as text:
        folder = Path(text)
        for each, content in files.items():
            (folder / each).write_bytes(content)
        command = [make, "-s", f"CC={compiler}", name]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_LONGEST, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise CompileError(f"{name}: {compiler} did not end within {_LONGEST} seconds") from error
        if done.returncode:
            first = "\n".join(done.stderr.strip().splitlines()[:10])
            raise CompileError(f"{name}: {compiler} ended with status {done.returncode}:\n{first}")
        return (folder / name).read_bytes()


def _compiler() -> str:
    return (os.environ.get("CC") if uses_environment() else None) or "gcc"
