"""BoundSegments: the segments that a runtime keeps for later runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from lite.runtime.segment import Segment, SegmentKey

MAX_PATHS = 16
"""Number of paths through a plan that stay bound; the least recently used segments are dropped first."""


class BoundSegments:
    """Segments by key.  Each follows another one, or starts the plan, so they form a tree of paths."""

    def __init__(self) -> None:
        self._segments: OrderedDict[SegmentKey, Segment] = OrderedDict()
        self._last_path: list[Segment] = []
        self._max_length = 1
        """Number of segments on the longest path so far."""

    def find(self, key: SegmentKey) -> Segment | None:
        """The segment with this key; None if there is none."""
        return self._segments.get(key)

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
