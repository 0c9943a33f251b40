"""Installs and removes the environment of a device."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lite.environments.folder import environment_folder, environments_folder
from lite.environments.installed import MARKER, Installed, find_installed, requirements_digest
from lite.environments.interpreters import find_interpreter
from lite.environments.variables import clean_variables
from lite.errors import PluginError
from lite.plugin.device.environment import WorkerEnvironment
from lite.trusted_folder import TrustedFolder

Report = Callable[[str], None]
"""Is called with each line that the installation prints."""

_LAST_LINES = 6

_OFFLINE = ("NewConnectionError", "Temporary failure in name resolution", "Network is unreachable",
            "No matching distribution found", "Could not find a version", "Connection refused",
            "Max retries exceeded")  # fmt: skip


def install(
    name: str,
    environment: WorkerEnvironment,
    report: Report,
    *,
    python: Path | None = None,
    again: bool = False,
) -> Installed:
    """Install the environment of the device `name`, unless it is there; `again` replaces it.

    pip reads its usual configuration: an index, a proxy, a folder of wheels.  Raises `PluginError` for a
    missing interpreter, a failure of pip and a full disk; what was written by then is removed.
    """
    found = find_installed(name, environment)
    if isinstance(found, Installed) and not again:
        report(f"{found.folder} is up to date")
        return found
    try:
        with TrustedFolder(environments_folder(), create=True), _locked(name):
            return _install(name, environment, report, python)
    except OSError as error:
        raise PluginError(f"{name}: its environment cannot be installed: {error}") from error


def remove(name: str) -> bool:
    """Remove the environment of a device; returns whether there was one.  Raises `PluginError`."""
    try:
        folder = environment_folder(name)
        if not folder.parent.is_dir():
            return False
        with TrustedFolder(folder.parent), _locked(name):
            is_there = folder.is_dir()
            _remove(folder)
    except OSError as error:
        raise PluginError(f"{name}: its environment cannot be removed: {error}") from error
    return is_there


def _install(name: str, environment: WorkerEnvironment, report: Report, given: Path | None) -> Installed:
    interpreter = find_interpreter(environment.python, given)
    if isinstance(interpreter, str):
        raise PluginError(f"{name}: {interpreter}")
    folder = environment_folder(name)
    _remove(folder)
    digest = requirements_digest(environment)
    report(f"environment {folder} with {interpreter}")
    try:
        # The folders above are trusted; this one is for the user alone.
        folder.mkdir(mode=0o700)
        _run([str(interpreter), "-I", "-m", "venv", str(folder)], name, report)
        pip = [str(folder / "bin" / "python"), "-I", "-m", "pip", "install", "--no-input"]
        options = ["--disable-pip-version-check", "--progress-bar", "off"]
        options += ["--no-deps"] if environment.complete else []
        _run([*pip, *options, "--requirement", str(environment.requirements)], name, report)
        marker = json.dumps({"device": name, "python": environment.python, "requirements": digest})
        with TrustedFolder(folder) as trusted:
            trusted.write(MARKER, [marker.encode()])
    except BaseException:
        _remove(folder)
        raise
    found = find_installed(name, environment)
    if isinstance(found, str):
        raise PluginError(f"{name}: {found}")
    return found


def _remove(folder: Path) -> None:
    """Remove an environment; without its marker, what is left after an interruption is not used."""
    (folder / MARKER).unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


def _run(command: list[str], name: str, report: Report) -> None:
    """Run a step of the installation; raises `PluginError` with its last lines."""
    last: deque[str] = deque(maxlen=_LAST_LINES)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=clean_variables(os.environ),
    ) as process:
        try:
            assert process.stdout is not None, "a pipe was requested"
            for line in process.stdout:
                last.append(line.rstrip())
                report(line.rstrip())
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        text = "\n".join(last)
        raise PluginError(
            f"{name}: its environment cannot be installed: {command[3]} ended with status "
            f"{process.returncode}{_advice(text)}\n{text}"
        )


def _advice(text: str) -> str:
    if "No space left on device" in text:
        return f"; the disk is full: free some space in {environments_folder()}, or set XDG_DATA_HOME"
    if any(sign in text for sign in _OFFLINE):
        return (
            "; without a network, fetch the packages elsewhere with `pip download`, and set PIP_FIND_LINKS "
            "to their folder and PIP_NO_INDEX=1"
        )
    return ""


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """One installation of an environment at a time; raises `OSError` where another is running."""
    path = environments_folder() / f".{name}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OSError("another process installs or removes it right now") from error
        yield
    finally:
        os.close(descriptor)
