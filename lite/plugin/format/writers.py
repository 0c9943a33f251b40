"""What a format brings that whole models are written in, where that takes more than their program.

A parser's `save` writes a program as it is; a writer is given the clean graph, which it may only say in
ops of its own.  It is one class, registered by `@model_writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from lite.ir.graph import Graph
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Written:
    """What came of writing a model.

    `cleaned` is how many ops the graph had, `ops` how many stand in the files; `details` are what the
    format says of itself.
    """

    files: list[Path]
    cleaned: int
    ops: int
    details: Mapping[str, object] = field(default_factory=dict)


class ModelWriter(Protocol):
    """A format as something to write; `suffix` is how its files end."""

    suffix: str

    def why_not(self, graph: Graph) -> list[str]:
        """A sentence for each kind of op that the format cannot say; none where it can say them all."""

    def write(self, graph: Graph, path: Path) -> Written:
        """Write a clean graph to a file; raises `ModelParseError` for one that the format cannot say."""


MODEL_WRITERS: Registry[str, ModelWriter] = Registry("model writer")

W = TypeVar("W", bound=type[ModelWriter])


def model_writer(name: str) -> Callable[[W], W]:
    """Register a class as the writer of the format `name`."""

    def register(cls: W) -> W:
        MODEL_WRITERS.add(name, cls(), cls.__module__)
        return cls

    return register
