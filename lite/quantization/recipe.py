"""Recipe: what to write into a quantised model; and the protocol of the models that accept one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from lite.dataclass import dataclass
from lite.ir.program import Program
from lite.ir.types import Array
from lite.quantization.grid import Grid, QuantizedWeight
from lite.quantization.layers import Layer, Skipped

WEIGHT_BITS: Mapping[str, int] = {"int8": 8, "int4": 4, "float16": 16}
"""The types that weights may have, and their bits."""


@dataclass(frozen=True)
class Recipe:
    """The layers to quantise by name, the type of their weights, and the grids of their activations.

    Without a grid an activation stays in float, as all do if only the weights are quantised.
    """

    layers: Collection[str]
    weight_type: str
    grids: Mapping[str, Grid] = field(default_factory=dict)
    per_channel: bool = True
    rounded: Mapping[str, QuantizedWeight] = field(default_factory=dict)
    """The integers of weights by layer, where they are not the nearest ones."""


class FloatModel(Protocol):
    """A model in one format, from which quantised models are made; it never changes."""

    format: str
    symmetric: bool
    """Whether the format has symmetric activations only."""

    @property
    def program(self) -> Program:
        """The float model."""

    @property
    def layers(self) -> Sequence[Layer]:
        """The ops that can be quantised."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Further ops of these types, which cannot be."""

    def weight(self, name: str) -> Array:
        """The elements of a layer's weight, or of another constant."""

    def has_constant(self, name: str) -> bool:
        """Whether the model stores a constant of this name in float32."""

    def with_constants(self, arrays: Mapping[str, Array]) -> FloatModel:
        """The model with other elements of some constants."""

    def quantized(self, recipe: Recipe) -> Program:
        """The quantised model, to be run."""

    def save(self, recipe: Recipe, path: Path) -> list[Path]:
        """Write the quantised model; returns the files.  Raises `ModelParseError`."""
