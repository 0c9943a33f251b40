"""Steps through sequences of different lengths at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lite.kernels.host.sequence.lod import starts_and_lengths
from lite.plugin.kernel import Array


def longest_first(level: tuple[int, ...]) -> Array:
    """The numbers of the sequences, in order of falling length."""
    return np.argsort(-starts_and_lengths(level)[1], kind="stable")


def steps(level: tuple[int, ...], reverse: bool) -> Iterator[Array]:
    """For each step the rows of the sequences that have one, in the order of `longest_first`."""
    starts, lengths = starts_and_lengths(level)
    order = longest_first(level)
    starts, lengths = starts[order], lengths[order]
    for step in range(int(lengths.max(initial=0))):
        count = int(np.count_nonzero(lengths > step))
        yield starts[:count] + (lengths[:count] - 1 - step if reverse else step)
