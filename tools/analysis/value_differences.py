"""Compares all values of two runs: one run is recorded, and the other is compared with the recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, DType
from lite.runtime.observe.watch import Observation
from lite.tools.arrays.comparison import Comparison, compare, largest_error

Key = tuple[str, str]
"""The block and the name of a value."""

Recorded = Array | list[Array]


@dataclass(frozen=True)
class ValueDifference:
    """A value that ops of both runs write, or of one.

    `error` is the largest relative error, since a loop writes a value several times.  `problem` describes
    the first difference; it is None if there is none.
    """

    block: str
    name: str
    op_a: str
    op_b: str
    error: float | None
    problem: str | None

    @property
    def title(self) -> str:
        """The name, preceded by the block unless that is the main block."""
        return self.name if self.block == "main" else f"{self.block}: {self.name}"


class Recording:
    """Copies of all values that the ops of one run write; `see` is a callback of `Predictor.observe`."""

    def __init__(self) -> None:
        self.values: dict[Key, list[Recorded]] = {}
        self.ops: dict[Key, str] = {}

    def see(self, observation: Observation) -> None:
        """Record a value unless it is an argument."""
        if not observation.op:
            return
        key = (observation.block, observation.name)
        value = observation.value
        copy = [np.array(item) for item in value] if isinstance(value, list) else np.array(value)
        self.values.setdefault(key, []).append(copy)
        self.ops[key] = observation.op


class Differences:
    """Compares the values of a run with a recording while the run writes them.

    Values match if their blocks, names and versions are equal; a value that a loop writes several times
    is compared write by write.  Floats of different width are compared as numbers.  `floor` is that of
    `compare`.  Two models may use one name for two things: without `same_program`, values of other shapes
    or dtypes are no differences, but in `other_meaning`.
    """

    def __init__(
        self, recording: Recording, tolerance: float, floor: float = 0.0, *, same_program: bool = True
    ) -> None:
        self._recording = recording
        self._tolerance = tolerance
        self._floor = floor
        self._same_program = same_program
        self._other_meaning: dict[Key, ValueDifference] = {}
        self._matched: dict[Key, ValueDifference] = {}
        self._writes: dict[Key, int] = {}
        self._only_b: dict[Key, str] = {}

    def see(self, observation: Observation) -> None:
        """Compare a value unless it is an argument; a callback of `Predictor.observe`."""
        if not observation.op:
            return
        key = (observation.block, observation.name)
        expected = self._recording.values.get(key)
        if expected is None:
            self._only_b[key] = observation.op
            return
        write = self._writes[key] = self._writes.get(key, -1) + 1
        if write < len(expected):
            current = compare_value(
                observation.name, observation.value, expected[write], self._tolerance, self._floor
            )
        else:
            current = Comparison(observation.name, None, f"A writes it only {len(expected)} times")
        error, problem = current.error, current.problem
        if error is None and not self._same_program:
            self._other_meaning[key] = ValueDifference(
                *key, self._recording.ops[key], observation.op, None, problem
            )
            return
        earlier = self._matched.get(key)
        if earlier is not None:
            error = largest_error((error, earlier.error))
            problem = earlier.problem or problem
        self._matched[key] = ValueDifference(*key, self._recording.ops[key], observation.op, error, problem)

    @property
    def matched(self) -> list[ValueDifference]:
        """The values of both runs, in the order in which B first writes them."""
        return list(self._matched.values())

    @property
    def other_meaning(self) -> list[ValueDifference]:
        """The values of both models that cannot be the same, because their shapes or dtypes differ."""
        return list(self._other_meaning.values())

    @property
    def first(self) -> ValueDifference | None:
        """The first value that differs, or None."""
        return next((each for each in self._matched.values() if each.problem), None)

    @property
    def only_a(self) -> list[ValueDifference]:
        """The values that B lacks."""
        missing = self._recording.ops.keys() - self._matched.keys() - self._other_meaning.keys()
        return [
            ValueDifference(*key, op, "", None, None)
            for key, op in self._recording.ops.items()
            if key in missing
        ]

    @property
    def only_b(self) -> list[ValueDifference]:
        """The values that A lacks."""
        return [ValueDifference(*key, "", op, None, None) for key, op in self._only_b.items()]


def compare_value(
    name: str, got: Recorded, expected: Recorded, tolerance: float, floor: float = 0.0
) -> Comparison:
    """Like `compare`, but for tensor arrays, too, and for floats of different width."""
    if isinstance(got, list) and isinstance(expected, list):
        return _compare_lists(name, got, expected, tolerance, floor)
    if isinstance(got, list) or isinstance(expected, list):
        return Comparison(name, None, "one side is a tensor, the other a tensor array")
    a, b = np.asarray(got), np.asarray(expected)
    if DType.from_numpy(a.dtype).is_float and DType.from_numpy(b.dtype).is_float:
        a, b = a.astype(np.float64), b.astype(np.float64)
    return compare(name, a, b, tolerance, floor)


def _compare_lists(
    name: str, got: Sequence[Array], expected: Sequence[Array], tolerance: float, floor: float
) -> Comparison:
    if len(got) != len(expected):
        return Comparison(name, None, f"expected {len(expected)} tensors, got {len(got)}")
    comparisons = [compare_value(name, a, b, tolerance, floor) for a, b in zip(got, expected, strict=True)]
    problem = next((each.problem for each in comparisons if each.problem), None)
    return Comparison(name, largest_error(each.error for each in comparisons), problem)
