"""Recipe: how to quantise a model; FloatModel: the protocol of the models that accept a recipe."""

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
"""The bits of each type that weights may have."""


@dataclass(frozen=True)
class Recipe:
    """The layers to quantise by name, the type of their weights, and the grids of their activations.

    An activation without a grid stays in float.  If only weights are quantised, no activation has one.
    """

    layers: Collection[str]
    weight_type: str
    grids: Mapping[str, Grid] = field(default_factory=dict)
    per_channel: bool = True
    rounded: Mapping[str, QuantizedWeight] = field(default_factory=dict)
    """The integers of weights by layer, if they are not rounded to nearest."""


class FloatModel(Protocol):
    """A float model in one format, from which quantised models are made; it never changes."""

    format: str
    symmetric: bool
    """Whether the format allows only symmetric quantisation of activations."""

    @property
    def program(self) -> Program:
        """The float model."""

    @property
    def layers(self) -> Sequence[Layer]:
        """The ops that can be quantised."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Ops that stay in float although their types can be quantised, with the reasons."""

    def weight(self, name: str) -> Array:
        """The elements of a constant, such as a layer's weight."""

    def has_constant(self, name: str) -> bool:
        """Whether the model stores a constant of this name in float32."""

    def with_constants(self, arrays: Mapping[str, Array]) -> FloatModel:
        """A copy of the model in which the named constants have these elements."""

    def quantized(self, recipe: Recipe) -> Program:
        """The quantised model as a program that can run."""

    def save(self, recipe: Recipe, path: Path) -> list[Path]:
        """Write the quantised model; returns the files.  Raises `ModelParseError`."""
