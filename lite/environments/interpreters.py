"""Finds an interpreter of a version: on the PATH, in the folders of pyenv, or by uv."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_ANSWER_SECONDS = 20


def find_interpreter(version: str, given: Path | None = None) -> Path | str:
    """An interpreter of a version such as ``3.10``, or why there is none, in a sentence that says what to do.

    With `given`, only that file is tried.
    """
    if given is not None:
        actual = _version(given)
        if actual == version:
            return given
        return f"{given} is {f'Python {actual}' if actual else 'no interpreter'}, expected Python {version}"
    for candidate in _candidates(version):
        if _version(candidate) == version:
            return candidate
    return (
        f"Python {version} is not installed; install it (for example `uv python install {version}` or "
        f"`pyenv install {version}`), or name one with --python"
    )


def _candidates(version: str) -> Iterator[Path]:
    yield Path(sys.executable)
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path(os.path.expanduser("~"), ".pyenv"))
    # The newest release first; 3.10.9 comes before 3.10.13.
    releases = pyenv.glob(f"versions/{version}.*/bin/python{version}")
    yield from sorted(releases, key=lambda path: (len(str(path)), str(path)), reverse=True)
    uv = shutil.which("uv")
    if uv:
        found = _output([uv, "python", "find", "--no-python-downloads", version])
        if found:
            yield Path(found)


def _version(python: Path) -> str:
    """The version of an interpreter, such as ``3.10``; "" if the file is none."""
    return _output([str(python), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ANSWER_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
