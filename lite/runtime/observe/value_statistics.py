"""Statistics: what the elements of every value of a run were like, and where they first went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lite.ir.types import shape_text
from lite.runtime.observe.summary import Summary, summarize
from lite.runtime.observe.watch import Observation
from lite.text_table import text_table


@dataclass(frozen=True)
class ValueStatistics:
    """One value; `times` is how often it was written, as in a loop, and `summary` is of all of them.

    `position` and `op` are the instruction's that writes it, -1 and "" for an argument of the block.
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
    """The first op that made a NaN or an infinity although all that it read was finite."""

    block: str
    position: int
    op: str
    place: str
    output: str
    trouble: str

    @property
    def sentence(self) -> str:
        """All of it."""
        return (
            f"op {self.position} of {self.block}, {self.op} -> {self.output} on {self.place}, "
            f"is the first that goes wrong: {self.trouble}, while all that it reads is finite"
        )


class Statistics:
    """Collects statistics as a run goes on: `see` is what `Predictor.observe` wants.

    Prints as a table, which ends with the sentence.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], ValueStatistics] = {}
        self._latest: dict[tuple[str, str], Summary] = {}
        self._source: str | None = None
        self.first_bad: BadOp | None = None

    def see(self, observation: Observation) -> None:
        """Enter a value."""
        key = (observation.block, observation.name)
        summary = summarize(observation.value)
        if not summary.is_finite:
            self._blame(observation, summary)
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
        """Where NaN and infinities come from, or that there are none."""
        if self.first_bad is not None:
            return self.first_bad.sentence
        if self._source is not None:
            return f"{self._source}; no op makes NaN or Inf out of finite values"
        return "all values are finite"

    def to_dict(self) -> dict[str, object]:
        """``values``, ``first_bad`` (None: none) and ``sentence``, all plain data."""
        return {
            "values": [value.to_dict() for value in self.values],
            "first_bad": None if self.first_bad is None else asdict(self.first_bad),
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        rows = [table_row(value) for value in self.values]
        return f"{text_table(STATISTICS_COLUMNS, rows)}\n{self.sentence}"

    def _blame(self, observation: Observation, summary: Summary) -> None:
        if self.first_bad is not None:
            return
        if not observation.op:
            self._source = self._source or f"argument {observation.name} already has {summary.trouble}"
            return
        read = (self._latest.get((observation.block, name)) for name in observation.reads)
        if any(not each.is_finite for each in read if each is not None):
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
"""What the cells of `table_row` are."""


def table_row(value: ValueStatistics) -> tuple[object, ...]:
    """The cells of a table."""
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
