"""The compiler's output, which the blob stores: instructions over numbered tensors."""

from __future__ import annotations

from dataclasses import dataclass, field

from lite.bridges.sim_npu.sdk.attributes import Attributes
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


@dataclass(frozen=True)
class Instruction:
    """Run an operator on tensors, then free the tensors in `release`, which no later instruction reads."""

    kind: str
    inputs: list[int]
    outputs: list[int]
    attributes: Attributes
    release: list[int]


@dataclass(frozen=True)
class Program:
    """A compiled model: the types of all tensors by number, and the instructions."""

    sdk_version: str
    tensors: list[TensorType]
    inputs: list[int]
    outputs: list[int]
    instructions: list[Instruction]
    weights: dict[int, Array] = field(default_factory=dict)
