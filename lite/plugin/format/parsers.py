"""The protocol of a model format, and the registry of formats.

A format is one class in ``model_parser/<format>/``, registered by `@model_parser`.  The class recognises a
source by its content, never by the name of the file alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from lite.dataclass import dataclass
from lite.ir.program import Program
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class ModelSource:
    """The source of a model: a path to a file or directory, or bytes; separately for the parameters."""

    path: Path | None = None
    params_path: Path | None = None
    model: bytes | None = None
    params: bytes | None = None

    def __str__(self) -> str:
        if self.path is not None:
            return str(self.path)
        return f"model buffer of {len(self.model or b'')} bytes"


class ModelParser(Protocol):
    """One model format."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content is of this format; reads only the beginning and raises nothing."""

    def parse(self, source: ModelSource) -> Program:
        """The whole model; raises `ModelParseError` and no other error, whatever the damage."""

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Write the model and its parameters, in one file or one per variable; returns the files.

        Raises `ModelParseError` for a program that this format cannot hold.
        """


PARSERS: Registry[str, ModelParser] = Registry("model format")

P = TypeVar("P", bound=type[ModelParser])


def model_parser(name: str) -> Callable[[P], P]:
    """Register a class as the parser of the format `name`."""

    def register(cls: P) -> P:
        PARSERS.add(name, cls(), cls.__module__)
        return cls

    return register
