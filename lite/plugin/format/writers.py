"""The protocol of a model writer, which exports a clean graph to a format with other ops.

A parser's `save` writes the program that it read.  A writer receives the graph after the passes that clean
it up, and translates it into the ops of its format.  It is one class, registered by `@model_writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Written:
    """The result of writing a model.

    `cleaned` is the number of ops in the graph, `ops` the number of ops in the files, and `details` are
    facts of the format, such as its version.
    """

    files: list[Path]
    cleaned: int
    ops: int
    details: Mapping[str, object] = field(default_factory=dict)


class ModelWriter(Protocol):
    """One format that can be written; `suffix` is the ending of its files."""

    suffix: str

    def why_not(self, graph: Graph) -> list[str]:
        """A sentence for each kind of op that the format does not have; empty where it has all."""

    def write(self, graph: Graph, path: Path) -> Written:
        """Write a clean graph to a file; raises `ModelParseError` for a graph that the format cannot hold."""


MODEL_WRITERS: Registry[str, ModelWriter] = Registry("model writer")

W = TypeVar("W", bound=type[ModelWriter])


def model_writer(name: str) -> Callable[[W], W]:
    """Register a class as the writer of the format `name`."""

    def register(cls: W) -> W:
        MODEL_WRITERS.add(name, cls(), cls.__module__)
        return cls

    return register
