"""What the compiler makes of a graph, and the blob carries: instructions over numbered tensors."""

from __future__ import annotations

from dataclasses import dataclass, field

from lite.bridges.sim_npu.sdk.attributes import Attributes
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


@dataclass(frozen=True)
class Instruction:
    """Run an operator on tensors, then give back the memory of those that nobody reads any more."""

    kind: str
    inputs: list[int]
    outputs: list[int]
    attributes: Attributes
    release: list[int]


@dataclass(frozen=True)
class Program:
    """A compiled model: the types of all tensors by number, and what is done with them."""

    sdk_version: str
    tensors: list[TensorType]
    inputs: list[int]
    outputs: list[int]
    instructions: list[Instruction]
    weights: dict[int, Array] = field(default_factory=dict)
