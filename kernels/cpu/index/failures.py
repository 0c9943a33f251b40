"""IndexFailures: what compiled functions note about indices that are outside their axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.lengths.index import FAILURES


class IndexFailures:
    """The notes of the functions of one kernel; `sizes` are those of the axes that `slot` has indices of.

    `negative` tells whether an index may count from the end.
    """

    def __init__(self, slot: str, sizes: Sequence[int], *, negative: bool = True) -> None:
        self.array = np.zeros(FAILURES, np.int64)
        self._slot, self._sizes, self._negative = slot, sizes, negative
        # Read in each run: an element of a memoryview takes less time than one of an array.
        self._notes = self.array.data

    def error(self) -> IndexError | None:
        """The error of the last launches, which is then forgotten; None if there was none."""
        notes = self._notes
        if not notes[0]:
            return None
        notes[0] = 0
        size = self._sizes[notes[2]]
        lowest = -size if self._negative else 0
        return IndexError(f"{self._slot}: expected {lowest} to {size - 1}, got {notes[1]}")
