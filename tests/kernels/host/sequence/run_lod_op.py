"""Runs an op that reads LoD, and cuts arrays into sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Lod
from lite.ops import get_schema
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.checked import Given, checked

Level = tuple[int, ...]


def run_lod_op(
    op: str,
    inputs: Given,
    lods: Mapping[str, Lod | list[Lod]],
    attrs: Mapping[str, AttrValue] | None = None,
    outputs: Mapping[str, int] | None = None,
) -> list[tuple[Array, Lod]]:
    """The outputs with their LoDs, slot after slot; what `checked` checks is checked."""
    outputs = outputs or {next(iter(get_schema(op).outputs)): 1}
    given = {slot: [v] if isinstance(v, np.ndarray) else list(v) for slot, v in inputs.items()}
    by_slot: dict[str, Sequence[Lod]] = {}
    for slot, arrays in given.items():
        lod = lods.get(slot, ())
        by_slot[slot] = lod if isinstance(lod, list) else [lod] * len(arrays)
    arrays_found = checked(op, given, attrs, outputs, by_slot)
    results = evaluate(op, given, attrs or {}, outputs, by_slot)
    found = [result.lod for slot in results for result in results[slot]]
    return list(zip(arrays_found, found, strict=True))


def cut(x: Array, level: Level) -> list[Array]:
    """The sequences of an array."""
    return [x[start:end] for start, end in pairwise(level)]


def joined(parts: Sequence[Array]) -> tuple[Array, Level]:
    """The concatenation of sequences, and their offsets."""
    level = [0]
    for part in parts:
        level.append(level[-1] + len(part))
    return np.concatenate(parts), tuple(level)


def draw(*shape: int, seed: int = 1) -> Array:
    """Normally distributed float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def int32(values: Any) -> Array:
    """Nested lists of integers as int32."""
    return np.array(values, np.int32)


def int64(values: Any) -> Array:
    """Nested lists of integers as int64."""
    return np.array(values, np.int64)
