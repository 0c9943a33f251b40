"""What the scheduler needs of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lite.ir.types import Array
from lite.serving.models.tensors import TensorSpec

Value = Array | list[Array]
"""A tensor, or within an ensemble a list of tensors of unlike shapes."""

Run = Callable[[Mapping[str, Array]], Mapping[str, Value]]
"""Runs a model once; one thread at a time may call it."""


class Model(Protocol):
    """A loaded model."""

    @property
    def inputs(self) -> Sequence[TensorSpec]:
        """Its inputs, in order."""
        ...

    @property
    def outputs(self) -> Sequence[TensorSpec]:
        """Its outputs, in order."""
        ...

    @property
    def platform(self) -> str:
        """What runs it, for metadata."""
        ...

    def instance(self) -> Run:
        """A function that runs it, with state of its own."""
        ...

    def placement(self) -> Mapping[str, object]:
        """Where it runs: devices, coverage, regions with their states, fallbacks."""
        ...
