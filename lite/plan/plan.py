"""Plan: instructions in running order, values with lifetimes and alias sets, constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lite.ir.graph import Graph
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType, Place, Shape
from lite.plugin.device import Device, Memory


@dataclass(frozen=True)
class ValueInfo:
    """One value.

    It is written by instruction `first` (-1: an argument or constant) and read last by instruction
    `last` (the number of instructions: it is a result; `first`: never).  Values with the same `root`
    share bytes: they are views of the value with that index, whose lifetime spans theirs.  An `opaque`
    value is an object of its target, or of the device whose regions alone read it, in memory of its own: no
    array, no buffer, no views.
    """

    name: str
    dtype: DType | None
    shape: Shape | None
    first: int
    last: int
    root: int
    is_array: bool = False
    opaque: bool = False


@dataclass(frozen=True)
class Region:
    """What a ``subgraph`` instruction stands for: a graph of unchanged ops, and who is to run it.

    `lod_sources` gives for each result the position of the argument whose LoD it shares, or None.
    `reads_lod` says that this is not all: where an argument has a LoD, only the host knows the results'.
    `memory` is the device's own: inputs and outputs of its models are handles of it.
    """

    id: int
    device: Device[Any]
    graph: Graph
    lod_sources: tuple[int | None, ...]
    reads_lod: bool = False
    memory: Memory | None = None


@dataclass(frozen=True)
class Instruction:
    """One op: value indices by slot, attributes with defaults filled in, and where it runs.

    `place` is the picked kernel's, or names the device of a region.
    `inplace` pairs an output with an input whose buffer it may take over: nothing reads that input
    later, and no other input shares its bytes.  `blocks` are the plans of sub-blocks; a `region` has a
    graph instead, which is planned only where the host has to run it.
    """

    op: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    attrs: Mapping[str, AttrValue]
    place: Place
    inplace: tuple[tuple[int, int], ...] = ()
    blocks: tuple[Plan, ...] = ()
    region: Region | None = None


@dataclass(frozen=True)
class Plan:
    """A graph as the runtime runs it.

    `constants` maps value indices to read-only arrays.  `reads_lod` says whether an instruction's
    result depends on LoDs beyond sharing them; where it is False, `lod_sources` gives for each result
    the position of the argument whose LoD it takes (None: no LoD).
    """

    name: str
    values: tuple[ValueInfo, ...]
    args: tuple[int, ...]
    results: tuple[int, ...]
    result_names: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    constants: Mapping[int, Array] = field(default_factory=dict)
    reads_lod: bool = False
    lod_sources: tuple[int | None, ...] = ()

    @property
    def has_regions(self) -> bool:
        """Whether devices run parts of it, those of sub-blocks included."""
        return any(
            item.region is not None or any(block.has_regions for block in item.blocks)
            for item in self.instructions
        )
