"""The values that an interpreter computes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from lite.ir.program import AttrValue
from lite.ir.types import Array, Lod

V = TypeVar("V")


class Domain(Protocol[V]):
    """Values of type V, and the ops on them."""

    most_iterations: int | None
    """After how many iterations a loop ends even if its condition holds; None: never."""

    def constant(self, array: Array, lod: Lod) -> V:
        """The value of a weight."""
        ...

    def initial(self, *, is_array: bool) -> V:
        """The value of a variable, or tensor array, that no op has written."""
        ...

    def holds(self, condition: V) -> bool:
        """Whether a branch is taken or a loop continues."""
        ...

    def op(
        self,
        kind: str,
        inputs: Mapping[str, Sequence[V]],
        attrs: Mapping[str, AttrValue],
        counts: Mapping[str, int],
    ) -> Mapping[str, Sequence[V]]:
        """The outputs by slot of an op without sub-blocks; `counts` are the numbers of outputs."""
        ...
