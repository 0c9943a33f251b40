"""How a worker process is started: by this interpreter, or by that of a device's own environment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from lite.dataclass import dataclass
from lite.environments.installed import Installed, find_installed
from lite.environments.variables import clean_variables
from lite.errors import CompileError
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device
from lite.plugin.device.environment import WorkerEnvironment
from lite.plugin.loader import outside_packages
from lite.runtime.isolation.output_log import OutputLog

_SAME = (
    "import json, sys; arguments = json.loads(sys.argv[1]); sys.path[:] = arguments['path']; "
    "from lite.runtime.isolation.worker_main import main; main(*arguments['descriptors'])"
)

_OTHER = """
import importlib.machinery, json, sys, types
arguments = json.loads(sys.argv[1])
for name, folder in arguments["bare"].items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        folder = arguments["outside"].get(name)
        return folder and importlib.machinery.PathFinder.find_spec(name, [folder], target)
sys.meta_path.append(Finder)
from lite.plugin.entry_points import add_packages
add_packages("litebridge.plugins", arguments["plugins"])
from lite.runtime.isolation.worker_main import main
main(*arguments["descriptors"])
"""
"""Makes litebridge, and the packages of devices outside of it, importable without the folders they are in:
a folder of packages for one interpreter must not be on the path of another.  The packages `bare` are found
without their ``__init__``, which would import more than a worker needs."""

_PACKAGE = Path(__file__).parents[2]


@dataclass
class Started:
    """A started process, with its output and its working directory if it has these for itself.

    With a folder of its own, it leads a process group, so that the children of the SDK end with it.
    """

    popen: subprocess.Popen[bytes]
    output: OutputLog | None = None
    folder: tempfile.TemporaryDirectory[str] | None = None

    def kill(self) -> None:
        """Kill the process, with its children if it leads a group."""
        if self.folder is None:
            self.popen.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)


class Launch(Protocol):
    """Starts workers."""

    def start(self, descriptors: Sequence[int]) -> Started:
        """Start a worker that uses these descriptors; raises `OSError` and `CompileError`."""


class SameInterpreter:
    """Starts a worker with the interpreter and the path of this process."""

    def start(self, descriptors: Sequence[int]) -> Started:
        """Start a worker, which prints to the output of this process."""
        path = [path for path in sys.path if isinstance(path, str)]
        arguments = json.dumps({"path": path, "descriptors": list(descriptors)})
        command = [sys.executable, "-c", _SAME, arguments]
        return Started(subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=descriptors))


class OwnEnvironment:
    """Starts a worker with the interpreter of a device's environment.

    The worker has nothing of this process but its environment variables, without those of Python.  What it
    prints goes to a log, and its working directory is a new folder, which is removed at its end.
    """

    def __init__(self, device: Device[Any], environment: WorkerEnvironment) -> None:
        self._device = device
        self._environment = environment

    def start(self, descriptors: Sequence[int]) -> Started:
        """Start a worker; raises `CompileError` if the environment is not installed."""
        name = self._device.name
        found = find_installed(name, self._environment)
        if isinstance(found, str):
            raise CompileError(found)
        # With `ignore_cleanup_errors`, as a child of the vendor's SDK may still write to it.
        folder = tempfile.TemporaryDirectory(prefix=f"litebridge-{name}-", ignore_cleanup_errors=True)
        output = OutputLog()
        try:
            popen = subprocess.Popen(
                [str(found.python), "-I", "-B", "-u", "-c", _OTHER, self._arguments(descriptors)],
                stdin=subprocess.DEVNULL,
                stdout=output.descriptor,
                stderr=output.descriptor,
                cwd=folder.name,
                env=self._variables(found, Path(folder.name)),
                pass_fds=descriptors,
                start_new_session=True,
            )
        except BaseException:
            folder.cleanup()
            raise
        return Started(popen, output, folder)

    def _variables(self, found: Installed, folder: Path) -> dict[str, str]:
        def declared() -> dict[str, str]:
            return dict(self._device.worker_variables(found.packages, folder))

        variables = at_boundary(self._device.name, "naming the variables of its worker", declared)
        return {**clean_variables(os.environ), **variables}

    def _arguments(self, descriptors: Sequence[int]) -> str:
        plugins = {package: folders[0] for package, folders in outside_packages().items() if folders}
        outside = {package.partition(".")[0]: _above(package, folder) for package, folder in plugins.items()}
        package = type(self._device).__module__.partition(".")[0]
        source = sys.modules[package].__file__
        if package != "lite" and source is not None:
            outside[package] = str(Path(source).parent.parent)
        return json.dumps(
            {
                "bare": {"lite": str(_PACKAGE), "lite.runtime": str(_PACKAGE / "runtime")},
                "outside": outside,
                "plugins": sorted(plugins),
                "descriptors": list(descriptors),
            }
        )


def _above(package: str, folder: Path) -> str:
    """The folder that holds the first part of a package's name."""
    return str(folder.parents[package.count(".")])
