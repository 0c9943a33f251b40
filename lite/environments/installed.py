"""Whether a device's environment is installed, and its interpreter.

The last step of an installation writes a marker with the digest of the requirements.  An environment without
a marker is incomplete, one with another digest is out of date.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from lite.dataclass import dataclass
from lite.environments.folder import environment_folder
from lite.plugin.device.environment import WorkerEnvironment
from lite.trusted_folder import TrustedFolder, UntrustedError

MARKER = "litebridge.json"

_MOST_BYTES = 1 << 16
"""A marker has some hundred bytes."""


@dataclass(frozen=True)
class Installed:
    """A complete environment: its folder, its interpreter and the folder of its packages."""

    folder: Path
    python: Path
    packages: Path


def find_installed(name: str, environment: WorkerEnvironment) -> Installed | str:
    """The environment of a device, or why it cannot be used, in a sentence that says what to do."""
    install = f"litebridge devices install {name}"
    try:
        folder = environment_folder(name)
        with TrustedFolder(folder) as trusted, trusted.open(MARKER) as file:
            marker = json.loads(file.read(_MOST_BYTES))
        wanted = requirements_digest(environment)
    except FileNotFoundError:
        return f"its environment is not installed: {install}"
    except UntrustedError as error:
        return f"its environment {folder} is not used: {error}"
    except (OSError, ValueError, RecursionError) as error:
        return f"its environment cannot be read ({error}): {install}"
    if not isinstance(marker, dict) or marker.get("requirements") != wanted:
        return f"its environment was installed for other requirements: {install}"
    found = Installed(folder, folder / "bin" / "python", packages_folder(folder, environment))
    if not os.access(found.python, os.X_OK) or not found.packages.is_dir():
        return f"the interpreter of its environment, {found.python}, is gone: {install}"
    return found


def packages_folder(folder: Path, environment: WorkerEnvironment) -> Path:
    """The folder of the packages in an environment."""
    return folder / "lib" / f"python{environment.python}" / "site-packages"


def requirements_digest(environment: WorkerEnvironment) -> str:
    """The digest of all that decides what is installed; raises `OSError` for a missing file."""
    kind = f"{environment.python} {environment.complete}\n".encode()
    return hashlib.sha256(kind + environment.requirements.read_bytes()).hexdigest()
