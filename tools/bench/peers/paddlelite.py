"""Paddle-Lite, in another interpreter, since it has no wheels for Python 3.11 and newer."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files, LoadedModel

WORKER = Path(__file__).with_name("paddlelite_worker.py")
_VERSION = "from importlib.metadata import version; print(version('paddlelite'))"


class WorkerModel:
    """A model in another process, which reads a line, runs once, and replies with the time of the run.

    `command` starts the process.  `folder` contains the feeds, and receives the answers.
    """

    def __init__(self, command: Sequence[str | Path], folder: tempfile.TemporaryDirectory[str]) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self._reply()
        except CannotRunError:
            self.close()
            raise

    def answers(self) -> Sequence[Array]:
        """Run once and return the outputs, which the process writes to files."""
        count = int(self._ask("answers"))
        return [np.load(Path(self._folder.name, f"answer{n}.npy")) for n in range(count)]

    def seconds(self) -> float:
        """Run once and return the time, measured in the process."""
        return self._ask("run")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def _ask(self, what: str) -> float:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{what}\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise CannotRunError("its process has ended") from error
        return self._reply()

    def _reply(self) -> float:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CannotRunError("its process has ended")
        return float(json.loads(line))


@dataclass(frozen=True)
class PaddleLite:
    """Paddle-Lite in the interpreter `python`, which needs only numpy besides.

    Create an environment with Python 3.8 to 3.10, and install paddlelite==2.13rc0 and "numpy<2" there.
    """

    python: str
    name: str = "Paddle-Lite"

    def missing(self) -> str | None:
        """The command that installs Paddle-Lite, or None if it is installed."""
        try:
            self.version()
        except CannotRunError as error:
            return str(error)
        return None

    def version(self) -> str:
        """The version of the package; raises `CannotRunError` if it is not installed."""
        try:
            done = subprocess.run([self.python, "-I", "-c", _VERSION], capture_output=True, text=True)
        except OSError as error:
            raise CannotRunError(f"{self.python} cannot be run: {error.strerror}") from error
        if done.returncode != 0:
            raise CannotRunError(f'{self.python} -m pip install paddlelite==2.13rc0 "numpy<2"')
        return done.stdout.strip()

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        """Load a model that has Paddle files; raises `CannotRunError` for others."""
        if files.paddle is None:
            raise CannotRunError("this model has no Paddle files")
        folder = tempfile.TemporaryDirectory()
        for n, array in enumerate(feeds.values()):
            np.save(Path(folder.name, f"feed{n}.npy"), array)
        # -I: ignore PYTHONPATH and the worker's folder, whose files have the names of engines.
        return WorkerModel([self.python, "-I", WORKER, files.paddle, folder.name, str(threads)], folder)
