"""PredictorPool: predictors of one model for the threads that share a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import lite


class PredictorPool:
    """Lends a predictor to one run at a time; clones are made when more runs take place at once."""

    def __init__(self, first: lite.Predictor) -> None:
        self._first = first
        self._free = [first]

    @contextmanager
    def predictor(self) -> Iterator[lite.Predictor]:
        """A predictor that no other run uses until the end."""
        try:
            predictor = self._free.pop()
        except IndexError:
            predictor = self._first.clone()
        try:
            yield predictor
        finally:
            self._free.append(predictor)
