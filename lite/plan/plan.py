"""Plan: instructions in running order, values with lifetimes and alias sets, constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType, Place, Shape
from lite.plugin.device import Device, Memory


@dataclass(frozen=True)
class ValueInfo:
    """One value of a plan.

    Instruction `first` writes it (-1 for an argument or constant) and instruction `last` reads it last;
    `last` is the number of instructions for a result, and `first` for a value that no instruction reads.
    Values with the same `root` share bytes: they are views of the value with that index, whose lifetime
    includes theirs.  `is_array` marks a tensor array.  An `opaque` value is not an array but an object in
    the memory of a target or device: it has no buffer and no views.  With `channels_last`, images are in NHWC
    for their kernels, although the model has them in NCHW.
    """

    name: str
    dtype: DType | None
    shape: Shape | None
    first: int
    last: int
    root: int
    is_array: bool = False
    opaque: bool = False
    channels_last: bool = False


@dataclass(frozen=True)
class Region:
    """The region of a ``subgraph`` instruction: a graph of unchanged ops, and the device to run it.

    `lod_sources` has for each result the position of the argument whose LoD it has, or None.  With
    `reads_lod`, an op also uses a LoD otherwise: where an argument has one, the host must run the region.
    `memory` is the device's own memory, if any: the inputs and outputs of its models are handles then.
    """

    id: int
    device: Device[Any]
    graph: Graph
    lod_sources: tuple[int | None, ...]
    reads_lod: bool = False
    memory: Memory | None = None


@dataclass(frozen=True)
class Instruction:
    """One op: value indices by slot, attributes with defaults filled in, and the place where it runs.

    `place` is the place of the picked kernel, or names the device of a region.  `inplace` has pairs of an
    output and an input whose buffer the output may overwrite.  `blocks` are the plans of sub-blocks.  A
    `region` has a graph instead, which is planned only if the host has to run it.
    """

    op: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    attrs: Mapping[str, AttrValue]
    place: Place
    inplace: tuple[tuple[int, int], ...] = ()
    blocks: tuple[Plan, ...] = ()
    region: Region | None = None

    @property
    def carried(self) -> int:
        """The number of inputs of a control-flow instruction that its block returns; see `Node.carried`."""
        carried = self.attrs.get("carried", 0)
        return carried if isinstance(carried, int) else 0


@dataclass(frozen=True)
class Plan:
    """The instructions of a graph in running order, with its values.

    `args` and `results` are indices of values; `constants` maps indices to read-only arrays.  `reads_lod`
    is whether an instruction uses a LoD in any other way than passing it on.  If not, `lod_sources` has
    for each result the position of the argument whose LoD it has, or None.
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
        """Whether devices run parts of the plan or of its sub-blocks."""
        return any(
            item.region is not None or any(block.has_regions for block in item.blocks)
            for item in self.instructions
        )


def plans_in(plan: Plan) -> Iterator[Plan]:
    """A plan and those of its blocks."""
    yield plan
    for item in plan.instructions:
        for block in item.blocks:
            yield from plans_in(block)
