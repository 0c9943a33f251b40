"""Finds where two predictors part: the values of one run are recorded, those of the other compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.ir.types import Array, DType
from lite.runtime.observe.watch import Observation
from lite.tools.reference import Comparison, compare

Key = tuple[str, str]
"""Block, and name of a value in it."""

Recorded = Array | list[Array]


@dataclass(frozen=True)
class ValueDifference:
    """A value that both sides have; `error` is the largest relative one of all times it was written.

    `problem` says what is wrong at the first time that something is; None: nothing.
    """

    block: str
    name: str
    op_a: str
    op_b: str
    error: float | None
    problem: str | None

    @property
    def title(self) -> str:
        """The name, with the block where that is not the main one."""
        return self.name if self.block == "main" else f"{self.block}: {self.name}"


class Recording:
    """Copies of all values that the ops of one run write: `see` is what `Predictor.observe` wants."""

    def __init__(self) -> None:
        self.values: dict[Key, list[Recorded]] = {}
        self.ops: dict[Key, str] = {}

    def see(self, observation: Observation) -> None:
        """Enter a value; arguments are none."""
        if not observation.op:
            return
        key = (observation.block, observation.name)
        value = observation.value
        copy = [np.array(item) for item in value] if isinstance(value, list) else np.array(value)
        self.values.setdefault(key, []).append(copy)
        self.ops[key] = observation.op


class Differences:
    """Compares the values of a run with a recording as they are written.

    Values belong together when their names, versions and blocks are the same; in loops, the first with
    the first and so on.  Floats of different width are compared as numbers.
    """

    def __init__(self, recording: Recording, tolerance: float) -> None:
        self._recording = recording
        self._tolerance = tolerance
        self._matched: dict[Key, ValueDifference] = {}
        self._times: dict[Key, int] = {}
        self._only_b: dict[Key, str] = {}

    def see(self, observation: Observation) -> None:
        """Compare a value; arguments are none."""
        if not observation.op:
            return
        key = (observation.block, observation.name)
        expected = self._recording.values.get(key)
        if expected is None:
            self._only_b[key] = observation.op
            return
        time = self._times[key] = self._times.get(key, -1) + 1
        if time < len(expected):
            found = compare_value(observation.name, observation.value, expected[time], self._tolerance)
        else:
            found = Comparison(observation.name, None, f"A writes it {len(expected)} times only")
        old = self._matched.get(key)
        error, problem = found.error, found.problem
        if old is not None:
            error = None if error is None or old.error is None else max(error, old.error)
            problem = old.problem or problem
        self._matched[key] = ValueDifference(*key, self._recording.ops[key], observation.op, error, problem)

    @property
    def matched(self) -> list[ValueDifference]:
        """Values of both sides, in the order in which B first writes them."""
        return list(self._matched.values())

    @property
    def first(self) -> ValueDifference | None:
        """The first of those that differs, or None."""
        return next((each for each in self._matched.values() if each.problem), None)

    @property
    def only_a(self) -> list[ValueDifference]:
        """Values that B does not have."""
        missing = self._recording.ops.keys() - self._matched.keys()
        return [
            ValueDifference(*key, op, "", None, None)
            for key, op in self._recording.ops.items()
            if key in missing
        ]

    @property
    def only_b(self) -> list[ValueDifference]:
        """Values that A does not have."""
        return [ValueDifference(*key, "", op, None, None) for key, op in self._only_b.items()]


def compare_value(name: str, got: Recorded, expected: Recorded, tolerance: float) -> Comparison:
    """Like `compare`, for tensor arrays too, and with floats of any width."""
    if isinstance(got, list) != isinstance(expected, list):
        return Comparison(name, None, "a tensor on one side, a tensor array on the other")
    if isinstance(got, list) and isinstance(expected, list):
        return _compare_lists(name, got, expected, tolerance)
    a, b = np.asarray(got), np.asarray(expected)
    if DType.from_numpy(a.dtype).is_float and DType.from_numpy(b.dtype).is_float:
        a, b = a.astype(np.float64), b.astype(np.float64)
    return compare(name, a, b, tolerance)


def _compare_lists(
    name: str, got: Sequence[Array], expected: Sequence[Array], tolerance: float
) -> Comparison:
    if len(got) != len(expected):
        return Comparison(name, None, f"expected {len(expected)} tensors, got {len(got)}")
    each = [compare_value(name, a, b, tolerance) for a, b in zip(got, expected, strict=True)]
    problem = next((found.problem for found in each if found.problem), None)
    errors = [found.error for found in each]
    known = [error for error in errors if error is not None]
    return Comparison(name, max(known, default=0.0) if len(known) == len(errors) else None, problem)
