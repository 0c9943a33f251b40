"""What an engine to compare with is: how it is found, described and given a model."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lite.ir.types import Array

Feeds = Mapping[str, Array]
"""Arrays by name, in the order of the ONNX file's inputs."""

Run = Callable[[], Sequence[Array]]
"""Runs a loaded model once, from the arrays that are fed to numpy arrays with the answers."""


class CannotRunError(Exception):
    """A sentence: why an engine is left out, altogether or for one model."""


@dataclass(frozen=True)
class Files:
    """A model in the formats that it is there in: one ONNX file, and a Paddle folder or None."""

    onnx: Path
    paddle: Path | None = None


class LoadedModel(Protocol):
    """A model in an engine, with feeds and a number of threads that were fixed before."""

    def answers(self) -> Sequence[Array]:
        """Runs once; the outputs in the ONNX file's order."""
        ...

    def seconds(self) -> float:
        """Runs once; how long it took to hand over the inputs, run, and have the outputs."""
        ...

    def close(self) -> None:
        """Frees what only this model needs."""
        ...


@dataclass(frozen=True)
class InProcess:
    """A model that is run by a function of this process."""

    run: Run

    def answers(self) -> Sequence[Array]:
        """What the function returns."""
        return self.run()

    def seconds(self) -> float:
        """Time of a call."""
        start = time.perf_counter()
        self.run()
        return time.perf_counter() - start

    def close(self) -> None:
        """The function goes with the last reference to it."""


class Peer(Protocol):
    """An engine that may be installed."""

    @property
    def name(self) -> str:
        """As its makers write it."""
        ...

    def missing(self) -> str | None:
        """What to install, or None where it is there."""
        ...

    def version(self) -> str:
        """Of the installed package."""
        ...

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        """Raises `CannotRunError` where the engine does not take the model."""
        ...


@dataclass(frozen=True)
class PackagePeer:
    """An engine that this interpreter can import; `loader` makes the function that runs a model."""

    name: str
    module: str
    package: str
    loader: Callable[[Files, Feeds, int], Run]

    def missing(self) -> str | None:
        """The command that installs it, unless it is found."""
        return None if importlib.util.find_spec(self.module) else f"pip install {self.package}"

    def version(self) -> str:
        """Of the package."""
        return importlib.metadata.version(self.package)

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        """Raises `CannotRunError` where the engine does not take the model."""
        return InProcess(self.loader(files, feeds, threads))
