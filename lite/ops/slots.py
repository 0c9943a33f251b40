"""Input and output slots of ops, and the notation that schemas write them in.

A slot is ``Name``, ``Name?`` (optional), ``Name*`` (repeated) or ``Name?*`` (both), followed by accepted
dtypes, ``:float`` (see `KINDS`) or ``:int32|int64``, and ranks, ``/4``, ``/2-`` or ``/1-3``.
"""

from __future__ import annotations

import functools
import re

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.types import DType
from lite.ops.view import Meta

KINDS: dict[str, frozenset[DType]] = {
    "float": frozenset(dtype for dtype in DType if dtype.is_float),
    "int": frozenset(dtype for dtype in DType if dtype.is_integer),
    "index": frozenset({DType.INT32, DType.INT64}),
    "bool": frozenset({DType.BOOL}),
    "number": frozenset(dtype for dtype in DType if dtype.is_float or dtype.is_integer),
    "any": frozenset(DType),
}
"""Short names of groups of dtypes."""

_SLOT = re.compile(r"(\w+)(\??)(\*?)(?::([\w|]+))?(?:/(\d+)(-?)(\d*))?")


@dataclass(frozen=True)
class Slot:
    """One input or output slot, with the dtypes and ranks that it accepts."""

    name: str
    optional: bool = False
    repeated: bool = False
    dtypes: frozenset[DType] = KINDS["any"]
    min_rank: int = 0
    max_rank: int | None = None

    def why_not(self, meta: Meta) -> str | None:
        """None, or a sentence where a value does not fit in the slot."""
        if meta.is_array:
            return None
        if meta.dtype not in self.dtypes:
            return f"expected {'/'.join(sorted(str(dtype) for dtype in self.dtypes))}, got {meta}"
        if meta.shape is None:
            return None
        highest = len(meta.shape) if self.max_rank is None else self.max_rank
        if not self.min_rank <= len(meta.shape) <= highest:
            return f"expected rank {self.rank_text()}, got {meta}"
        return None

    def rank_text(self) -> str:
        """``4``, ``2 or more``, ``1 to 3``."""
        if self.max_rank is None:
            return f"{self.min_rank} or more"
        return str(self.min_rank) if self.min_rank == self.max_rank else f"{self.min_rank} to {self.max_rank}"


@functools.cache
def read_slots(text: str) -> dict[str, Slot]:
    """The slots of a schema by name, in order; raises `GraphError` for a word in another form."""
    return {slot.name: slot for slot in map(_read_slot, text.split())}


@functools.cache
def _read_slot(word: str) -> Slot:
    match = _SLOT.fullmatch(word)
    if match is None:
        raise GraphError(f"slot {word!r} cannot be read; see lite/ops/slots.py")
    name, optional, repeated, kinds, low, dash, high = match.groups()
    lowest = int(low or 0)
    highest = int(high) if high else None if dash or not low else lowest
    return Slot(name, bool(optional), bool(repeated), _dtypes(kinds or "any"), lowest, highest)


@functools.cache
def _dtypes(kinds: str) -> frozenset[DType]:
    return frozenset().union(*(KINDS.get(kind) or {DType.from_name(kind)} for kind in kinds.split("|")))
