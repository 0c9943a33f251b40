"""What a model format brings: `sniff`, `parse`, and `save` where it can write.

A format is one class in ``model_parser/<format>/``, registered by `@model_parser`.  Which class reads
a source is told by content, never by the name of the file alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lite.ir.program import Program
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class ModelSource:
    """Where a model is: a path (file or directory) or bytes, with the parameters' own where given."""

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
        """Whether the source looks like this format; reads little, raises nothing."""

    def parse(self, source: ModelSource) -> Program:
        """The whole model; raises `ModelParseError` only."""

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Write the model and its parameters, in one file or one per variable; the files written.

        Raises `ModelParseError` for a program that this format cannot say.
        """


PARSERS: Registry[str, ModelParser] = Registry("model format")

P = TypeVar("P", bound=type[ModelParser])


def model_parser(name: str) -> Callable[[P], P]:
    """Register a class as the parser of the format `name`."""

    def register(cls: P) -> P:
        PARSERS.add(name, cls(), cls.__module__)
        return cls

    return register
