"""WorkerEnvironment: the interpreter and the packages that a device's SDK needs for itself."""

from __future__ import annotations

from pathlib import Path

from lite.dataclass import dataclass


@dataclass(frozen=True)
class WorkerEnvironment:
    """An environment in which the device's worker process runs, apart from the environment of the user.

    `python` is the version of the interpreter, ``3.10`` or later, and `requirements` the file with the
    packages, one line of pip each, which lies beside the bridge.  The file lists all that the SDK imports,
    numpy 1.24 or later, and threadpoolctl.  `seconds` limits each request to the worker where the Config has
    no limit of its own.  A `complete` file lists every package, and pip installs none but these.
    """

    python: str
    requirements: Path
    seconds: float = 1800.0
    complete: bool = False
