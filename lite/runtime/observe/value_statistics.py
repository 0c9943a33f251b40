"""Statistics: a summary of every value of a run, and the first op that computes NaN or infinity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from lite.dataclass import dataclass
from lite.ir.types import shape_text
from lite.runtime.observe.summary import Summary, summarize
from lite.runtime.observe.watch import Observation
from lite.text_table import text_table


@dataclass(frozen=True)
class ValueStatistics:
    """One value; in a loop it is written `times` times, and `summary` covers all of them.

    `position` and `op` are of the instruction that writes it; -1 and "" for an argument of the block.
    """

    block: str
    position: int
    op: str
    name: str
    times: int
    summary: Summary

    def to_dict(self) -> dict[str, object]:
        """One level of names and plain values."""
        row = {**vars(self), **vars(self.summary)}
        del row["summary"]
        dtype, shape = self.summary.dtype, self.summary.shape
        return {
            **row,
            "dtype": None if dtype is None else str(dtype),
            "shape": None if shape is None else list(shape),
        }


@dataclass(frozen=True)
class BadOp:
    """The first op that computed a NaN or an infinity from finite inputs."""

    block: str
    position: int
    op: str
    place: str
    output: str
    trouble: str

    @property
    def sentence(self) -> str:
        """All fields, as a sentence."""
        return (
            f"op {self.position} of {self.block}, {self.op} -> {self.output} on {self.place}, "
            f"is the first to produce NaN or Inf from finite inputs: {self.trouble}"
        )


class Statistics:
    """Collects the statistics of a run: pass `see` to `Predictor.observe`.

    `str` of it is a table, followed by `sentence`.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], ValueStatistics] = {}
        self._latest: dict[tuple[str, str], Summary] = {}
        self._source: str | None = None
        self.first_bad: BadOp | None = None

    def see(self, observation: Observation) -> None:
        """Add a value."""
        key = (observation.block, observation.name)
        summary = summarize(observation.value)
        if not summary.is_finite:
            self._find_cause(observation, summary)
        self._latest[key] = summary
        before = self._values.get(key)
        self._values[key] = ValueStatistics(
            observation.block,
            observation.position,
            observation.op,
            observation.name,
            1 if before is None else before.times + 1,
            summary if before is None else before.summary.merged(summary),
        )

    @property
    def values(self) -> Sequence[ValueStatistics]:
        """All values, in the order in which they were first written."""
        return list(self._values.values())

    @property
    def sentence(self) -> str:
        """Where NaN and infinities come from, or that all values are finite."""
        if self.first_bad is not None:
            return self.first_bad.sentence
        if self._source is not None:
            return f"{self._source}; no op computes NaN or Inf from finite values"
        return "all values are finite"

    def to_dict(self) -> dict[str, object]:
        """``values``, ``first_bad`` (or None) and ``sentence``, all plain data."""
        return {
            "values": [value.to_dict() for value in self.values],
            "first_bad": None if self.first_bad is None else asdict(self.first_bad),
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        rows = [table_row(value) for value in self.values]
        return f"{text_table(STATISTICS_COLUMNS, rows)}\n{self.sentence}"

    def _find_cause(self, observation: Observation, summary: Summary) -> None:
        if self.first_bad is not None:
            return
        if not observation.op:
            self._source = self._source or f"argument {observation.name} already has {summary.trouble}"
            return
        inputs = (self._latest.get((observation.block, name)) for name in observation.reads)
        if any(not each.is_finite for each in inputs if each is not None):
            return
        for name, array in observation.constants.items():
            weight = summarize(array)
            if not weight.is_finite:
                self._source = self._source or f"weight {name} already has {weight.trouble}"
                return
        self.first_bad = BadOp(
            observation.block,
            observation.position,
            observation.op,
            str(observation.place),
            observation.name,
            summary.trouble,
        )


STATISTICS_COLUMNS = ("op", "type", "value", "dtype", "shape", "min", "max", "mean", "zeros", "NaN", "Inf")
"""The columns of `table_row`."""


def table_row(value: ValueStatistics) -> tuple[object, ...]:
    """A value as a row of a table."""
    summary = value.summary
    return (
        None if value.position < 0 else value.position,
        value.op or "argument",
        (value.name if value.block == "main" else f"{value.block}: {value.name}")
        + (f" ×{value.times}" if value.times > 1 else ""),
        summary.dtype,
        "array" if summary.shape is None else shape_text(summary.shape),
        summary.min,
        summary.max,
        summary.mean,
        summary.zeros,
        summary.nans,
        summary.infs,
    )
