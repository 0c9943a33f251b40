"""SplitOp: an op of a region as integers, for splitting the region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lite.dataclass import dataclass


@dataclass(frozen=True)
class SplitOp:
    """One op of a region; values and weights are numbers.

    `inputs` are the values that it reads and that are not constant; `outputs` maps the values that it
    writes to their bytes; `read_outside` are the outputs that are read outside the region; `weights` maps
    its constants to their bytes, and `input_bytes` its inputs where the size is known.
    """

    inputs: tuple[int, ...] = ()
    outputs: Mapping[int, int] = field(default_factory=dict)
    read_outside: frozenset[int] = frozenset()
    weights: Mapping[int, int] = field(default_factory=dict)
    input_bytes: Mapping[int, int] = field(default_factory=dict)
