"""The protocol of an engine: how to find it, describe it and load a model in it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from lite.dataclass import dataclass
from lite.ir.types import Array

Feeds = Mapping[str, Array]
"""Arrays by name, in the order of the ONNX file's inputs."""

Run = Callable[[], Sequence[Array]]
"""Runs a loaded model once on its feeds and returns the outputs."""


class CannotRunError(Exception):
    """Raised if an engine cannot run a model, or any model; the message is the reason."""


@dataclass(frozen=True)
class Files:
    """The files of a model: an ONNX file, and a Paddle folder or None."""

    onnx: Path
    paddle: Path | None = None


class LoadedModel(Protocol):
    """A model in an engine, with fixed feeds and a fixed number of threads."""

    def answers(self) -> Sequence[Array]:
        """Run once and return the outputs in the ONNX file's order."""
        ...

    def seconds(self) -> float:
        """Run once and return the time in seconds, including the transfer of inputs and outputs."""
        ...

    def close(self) -> None:
        """Release the model."""
        ...


@dataclass(frozen=True)
class InProcess:
    """A model that a function of this process runs."""

    run: Run

    def answers(self) -> Sequence[Array]:
        """Call the function and return its outputs."""
        return self.run()

    def seconds(self) -> float:
        """The time of a call, in seconds."""
        start = time.perf_counter()
        self.run()
        return time.perf_counter() - start

    def close(self) -> None:
        """Has no effect: the garbage collector releases the function."""


class Peer(Protocol):
    """An engine, installed or not."""

    @property
    def name(self) -> str:
        """The name of the engine, as its vendor writes it."""
        ...

    def missing(self) -> str | None:
        """The command that installs the engine, or None if it is installed."""
        ...

    def version(self) -> str:
        """The version of the installed package."""
        ...

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        """Load a model; raises `CannotRunError` if the engine cannot run it."""
        ...


@dataclass(frozen=True)
class PackagePeer:
    """An engine that this interpreter can import; `loader` returns the function that runs a model."""

    name: str
    module: str
    package: str
    loader: Callable[[Files, Feeds, int], Run]

    def missing(self) -> str | None:
        """The command that installs the package, or None if it is installed."""
        return None if importlib.util.find_spec(self.module) else f"pip install {self.package}"

    def version(self) -> str:
        """The version of the package."""
        return importlib.metadata.version(self.package)

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        """Load a model; raises `CannotRunError` if the engine cannot run it."""
        return InProcess(self.loader(files, feeds, threads))
