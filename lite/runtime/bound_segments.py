"""BoundSegments: the segments that a runtime keeps for later runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lite.ir.types import Lod
from lite.runtime.open_signatures import OpenSignatures, Sizes
from lite.runtime.segment import Segment, SegmentKey, signature

MAX_PATHS = 16
"""Number of paths through a plan that stay bound; the least recently used segments are dropped first."""


Given = Mapping[int, tuple[Any, Lod]]
"""The values that a segment depends on, and their LoDs."""


class Missing(NamedTuple):
    """A segment to bind: `key` is that of the values' sizes, and `open_key` that of all values of `sizes`.

    Without `sizes`, it is for these values alone.
    """

    key: SegmentKey
    open_key: SegmentKey
    sizes: tuple[Sizes, ...] | None


class BoundSegments:
    """Segments by key.  Each follows another one, or starts the plan, so they form a tree of paths.

    `signatures` are those that start the plan.
    """

    def __init__(self, signatures: OpenSignatures) -> None:
        self._signatures = signatures
        self._segments: OrderedDict[SegmentKey, Segment] = OrderedDict()
        self._last_path: list[Segment] = []
        self._max_length = 1
        """Number of segments on the longest path so far."""

    def find(self, previous: Segment | None, given: Given) -> Segment | Missing:
        """The segment for these values: that of their sizes, or one for many sizes."""
        signatures: Any = tuple([signature(value, lod) for value, lod in given.values()])
        key = previous, signatures
        segment = self._segments.get(key)
        if segment is not None:
            return segment
        sizes = None
        if all(isinstance(value, np.ndarray) for value, _ in given.values()):
            sizes = self._signatures_after(previous).sizes(signatures)
        if sizes is None:
            return Missing(key, key, None)
        open_key = previous, (sizes, *((dtype, lod) for _, dtype, lod in signatures))
        return self._segments.get(open_key) or Missing(key, open_key, sizes)

    def close(self, missing: Missing) -> None:
        """Bind signatures like this one as they are from now on."""
        key: Any = missing.key[1]
        self._signatures_after(missing.key[0]).close(key)

    def _signatures_after(self, previous: Segment | None) -> OpenSignatures:
        if previous is None:
            return self._signatures
        if previous.following is None:
            previous.following = OpenSignatures(self._signatures.is_possible)
        return previous.following

    def add(self, key: SegmentKey, segment: Segment) -> None:
        """Keep a new segment."""
        segment.key = key
        self._segments[key] = segment

    def mark_used(self, path: Sequence[Segment]) -> None:
        """Note that a run took this path; drop the least recently used segments if there are too many.

        The first segment of a path counts as used last: without it, the others could not be found.
        """
        if path == self._last_path:
            return
        for segment in reversed(path):
            self._segments.move_to_end(segment.key)
        self._max_length = max(self._max_length, len(path))
        while len(self._segments) > MAX_PATHS * self._max_length:
            self._segments.popitem(last=False)
        self._last_path = list(path)

    @property
    def last_path(self) -> Sequence[Segment]:
        """The segments of the last run."""
        return self._last_path

    def __iter__(self) -> Iterator[Segment]:
        """All segments, each before those that follow it."""
        following: dict[Segment | None, list[Segment]] = {}
        for (previous, _), segment in self._segments.items():
            following.setdefault(previous, []).append(segment)
        pending = following.get(None, [])[::-1]
        while pending:
            segment = pending.pop()
            yield segment
            pending += reversed(following.get(segment, []))
