"""Walking through sequences of different lengths in step: at each step, all sequences that go on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lite.kernels.host.sequence.lod import starts_and_lengths
from lite.plugin.kernel import Array


def longest_first(level: tuple[int, ...]) -> Array:
    """The numbers of the sequences, longer ones first."""
    return np.argsort(-starts_and_lengths(level)[1], kind="stable")


def steps(level: tuple[int, ...], reverse: bool) -> Iterator[Array]:
    """Per step the row of each sequence that goes on, in the order of `longest_first`."""
    starts, lengths = starts_and_lengths(level)
    order = longest_first(level)
    starts, lengths = starts[order], lengths[order]
    for step in range(int(lengths.max(initial=0))):
        going = int(np.count_nonzero(lengths > step))
        yield starts[:going] + (lengths[:going] - 1 - step if reverse else step)
