"""The ranges of a float model's values, by which devices compute with it in integers.

A recipe is JSON: ``{"ranges": {"conv2d_0.tmp_0": [-1.5, 6.0], …}}``, with the least and the greatest number
of each value by its name in the main graph.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.graph import Graph, Quant, Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.subgraph.user_file import read_json

_LEAST = 1e-30


@dataclass(frozen=True)
class Recipe:
    """The ranges of values by name."""

    ranges: Mapping[str, tuple[float, float]]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Recipe:
        """The recipe of a JSON file; raises `ConfigError` for one that cannot be read or is no recipe."""
        return cls.of(read_json(path, "recipe"), os.fspath(path))

    @classmethod
    def of(cls, content: object, where: str) -> Recipe:
        """The recipe of a JSON document; raises `ConfigError` for one that is no recipe."""
        ranges = content.get("ranges") if isinstance(content, dict) else None
        if not isinstance(ranges, dict) or not isinstance(content, dict) or content.keys() != {"ranges"}:
            raise ConfigError(f'recipe {where}: expected {{"ranges": {{name: [low, high]}}}}')
        return cls({name: _range(name, pair) for name, pair in ranges.items()})

    def apply(self, graph: Graph) -> list[Value]:
        """Quantise the float32 values of a graph that have ranges and are not quantised; return them.

        Constants stay: a device chooses the scales of its weights.
        """
        found = [
            value
            for value in (*graph.args, *(value for node in graph for value in node.all_outputs()))
            if value.name in self.ranges and value.quant is None and value.kind is VarKind.TENSOR
        ]
        found = [value for value in found if value.dtype is DType.FLOAT32]
        for value in found:
            value.quant = int8_quant(*self.ranges[value.name])
        return found


def int8_quant(low: float, high: float) -> Quant:
    """Integers of int8 for the numbers from `low` to `high`, in which 0 is exact.

    The range of a value that is always 0 is 0 to 1: any scale represents it.
    """
    low, high = min(low, 0.0), max(high, 0.0)
    if max(-low, high) < _LEAST:
        low, high = 0.0, 1.0
    scale = (high - low) / 255
    return Quant((scale,), (round(-128 - low / scale),), -1, DType.INT8)


def _range(name: str, pair: object) -> tuple[float, float]:
    if not isinstance(pair, list) or len(pair) != 2 or not all(_is_number(item) for item in pair):
        raise ConfigError(f"recipe: {name!r}: expected [low, high], got {pair!r}")
    low, high = (float(item) for item in pair)
    if not low <= high or not math.isfinite(high - low):
        raise ConfigError(f"recipe: {name!r}: expected finite numbers in order, got [{low}, {high}]")
    return low, high


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)
