"""OpenSignatures: input signatures whose sizes change from run to run, such as the past of a decoder.

To bind a plan takes longer than many a run.  Where several signatures differ only in some sizes, the next one
is generalised: those sizes are unknown in it (None), so that one segment serves all of them.  Ops whose
shapes remain known run prepared kernels as ever; the others run kernels that nothing was prepared for.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import UNKNOWN, Lod
from lite.ops import Meta

EXACT = 6
"""Number of signatures of a kind that are bound as they are; the next ones share a segment."""

_KINDS = 64
"""Number of kinds of signatures that are followed."""

Sizes = tuple[int | None, ...]

Key = Sequence[tuple[tuple[int, ...], np.dtype[np.generic], Lod]]
"""Shape, dtype and LoD of each argument."""


@dataclass
class _Kind:
    """The signatures with certain ranks, dtypes and LoDs: their sizes, None where they differ, and number."""

    sizes: tuple[Sizes, ...]
    count: int = 1
    is_closed: bool = False


class OpenSignatures:
    """Follows the signatures of a runtime, which are tuples of (shape, dtype, LoD).

    Without `is_possible`, all are bound as they are.
    """

    def __init__(self, is_possible: bool = True) -> None:
        self._kinds: dict[Hashable, _Kind] = {}
        self.is_possible = is_possible

    def sizes(self, key: Key) -> tuple[Sizes, ...] | None:
        """The generalised sizes for a new signature; None to bind it as it is."""
        if not self.is_possible or any(lod for _, _, lod in key):
            return None
        kind_key = _kind_key(key)
        shapes = tuple(shape for shape, _, _ in key)
        kind = self._kinds.get(kind_key)
        if kind is None:
            if len(self._kinds) < _KINDS:
                self._kinds[kind_key] = _Kind(shapes)
            return None
        kind.count += 1
        if not all(map(_fits, kind.sizes, shapes)):
            kind.sizes = tuple(map(_merged, kind.sizes, shapes))
        return None if kind.is_closed or kind.count <= EXACT else kind.sizes

    def follow(self, key: Key, sizes: tuple[Sizes, ...]) -> None:
        """Generalise signatures of this kind from the first one on."""
        self._kinds[_kind_key(key)] = _Kind(sizes, EXACT)

    def close(self, key: Key) -> None:
        """Bind signatures of this kind as they are from now on."""
        self._kinds[_kind_key(key)].is_closed = True


def open_metas(metas: Sequence[Meta], sizes: Sequence[Sizes]) -> list[Meta]:
    """The metas of arrays with generalised sizes."""
    return [
        Meta(meta.dtype, tuple(UNKNOWN if size is None else size for size in each), None, meta.lod)
        for meta, each in zip(metas, sizes, strict=True)
    ]


def _kind_key(key: Key) -> Hashable:
    return tuple((len(shape), dtype, lod) for shape, dtype, lod in key)


def _fits(sizes: Sizes, shape: Sizes) -> bool:
    """Whether a shape has these sizes, where they are known."""
    return sizes == shape or all(a is None or a == b for a, b in zip(sizes, shape, strict=True))


def _merged(sizes: Sizes, shape: Sizes) -> Sizes:
    """The sizes that both have, and None for the others."""
    return tuple(a if a == b else None for a, b in zip(sizes, shape, strict=True))
