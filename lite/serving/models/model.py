"""What the scheduler needs of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lite.serving.models.model_value import Value
from lite.serving.models.tensors import TensorSpec

Run = Callable[[Mapping[str, Value]], Mapping[str, Value]]
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
    def takes_lists(self) -> bool:
        """Whether an input may be a list of tensors, within an ensemble."""
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
