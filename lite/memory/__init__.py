"""Memory planning: a strategy gives every requested buffer an offset in one arena.

Buffers that are live at the same time never overlap, and offsets are multiples of `ALIGNMENT`.  Values
that share bytes (views, results computed in place) are one request, whose lifetime includes theirs.

==========  ==========================================================================================
compact     the least memory; the default
best_fit    an allocator in order of time that knows how long each buffer lives; the least time to
            plan, and seldom more memory than compact
mru         a buffer begins where one was freed last, which is likely still in the processor's cache
plain       no sharing: every value can be read after the run, and the memory is the sum of all sizes
==========  ==========================================================================================
"""

from __future__ import annotations

from lite.memory.best_fit import best_fit
from lite.memory.compact import compact
from lite.memory.mru import mru
from lite.memory.plain import plain
from lite.memory.request import ALIGNMENT, Request, Strategy, aligned, largest_live_set

__all__ = [
    "ALIGNMENT",
    "STRATEGIES",
    "Request",
    "Strategy",
    "aligned",
    "best_fit",
    "compact",
    "largest_live_set",
    "mru",
    "plain",
]

STRATEGIES: dict[str, Strategy] = {
    "compact": compact,
    "best_fit": best_fit,
    "mru": mru,
    "plain": plain,
}
"""The strategies by the name in `Config.memory`."""
