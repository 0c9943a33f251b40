"""The input of shape rules: an op (`OpView`), and static information about its values (`Meta`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.attributes import AttributeReaders
from lite.ir.node import Quant
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, Array, Dim, DType, Lod, Shape, is_known, shape_text


class UnknownRank(Exception):  # noqa: N818 - ends a shape rule, and is not a failure
    """Raised by `Meta.dims`; `infer` then gives the op's outputs unknown shapes."""


@dataclass(frozen=True, eq=False)
class Meta:
    """Information about a value before it is computed.

    `shape` is None where even the rank is unknown.  `value` has the elements where they are known: of
    constants, and of results that follow from shapes alone.  `is_array` marks a tensor array.  `quant` is
    the quantisation of a value as a bridge sees it; shape rules do not know it.  `numbers` has the integers
    of a small tensor of which some are known, None for the others.  `parts` has the shapes of the elements of
    a tensor array, where all are known.
    """

    dtype: DType
    shape: Shape | None
    value: Array | None = None
    lod: Lod = NO_LOD
    is_array: bool = False
    quant: Quant | None = None
    numbers: tuple[int | None, ...] | None = None
    parts: tuple[Shape, ...] | None = None

    @classmethod
    def of(cls, array: Array, lod: Lod = NO_LOD, *, known: bool = True) -> Meta:
        """The meta of an array; with `known`, its elements are part of it."""
        return cls(DType.from_numpy(array.dtype), array.shape, array if known else None, lod)

    @property
    def dims(self) -> Shape:
        """The shape; raises `UnknownRank` where it is None."""
        if self.shape is None:
            raise UnknownRank
        return self.shape

    @property
    def rank(self) -> int:
        """The number of dimensions; raises `UnknownRank` where it is unknown."""
        return len(self.dims)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is a number."""
        return is_known(self.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape as numbers; raises `GraphError` where a dimension is unknown."""
        if not self.is_static:
            raise GraphError(f"expected a shape whose dimensions are all known, got {self}")
        return tuple(dim for dim in self.dims if isinstance(dim, int))

    def axis(self, axis: int) -> int:
        """`axis` counted from the front; negative axes count from the back."""
        return axis + self.rank if axis < 0 else axis

    def __str__(self) -> str:
        return f"{self.dtype}{shape_text(self.shape)}"


Inferred = Meta | Mapping[str, Meta | Sequence[Meta]]
"""The result of a shape rule: the meta of the only (or first) output, or metas by slot."""


class OpView(AttributeReaders):
    """An op for its shape rule: type, metas of the inputs, attributes with defaults filled in."""

    def __init__(self, op: str, inputs: Mapping[str, Sequence[Meta]], attrs: Mapping[str, AttrValue]) -> None:
        super().__init__(op, attrs)
        self._inputs = inputs

    def __getitem__(self, slot: str) -> Meta:
        """The meta of a required slot."""
        return self._inputs[slot][0]

    def get(self, slot: str) -> Meta | None:
        """The meta of an optional slot, or None."""
        metas = self._inputs.get(slot)
        return metas[0] if metas else None

    def all(self, slot: str) -> Sequence[Meta]:
        """The metas of a repeated slot."""
        return self._inputs.get(slot, ())

    def values(self, slot: str) -> list[int] | None:
        """The integers of a one-dimensional input, or None where they are unknown."""
        meta = self.get(slot)
        if meta is None or meta.value is None:
            return None
        return [int(item) for item in meta.value.reshape(-1)]


def product(dims: Sequence[Dim]) -> int | None:
    """The number of elements, or None where a dimension is unknown and none is 0."""
    total = 1
    unknown = False
    for dim in dims:
        if isinstance(dim, str):
            unknown = True
        else:
            total *= dim
    return None if unknown and total else total
