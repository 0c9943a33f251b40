"""Profile: how long every op of a model took, as a table, as plain data and as a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lite.ir.types import DType, Shape, shape_text
from lite.text_table import text_table


@dataclass(frozen=True)
class Tensor:
    """A value that an op reads or writes; a tensor array has no shape."""

    name: str
    dtype: DType
    shape: Shape | None

    @property
    def bytes(self) -> int:
        """Its size; 0 where that is not known."""
        dims = [dim for dim in self.shape or () if isinstance(dim, int)]
        if self.shape is None or len(dims) < len(self.shape):
            return 0
        return math.prod(dims) * self.dtype.itemsize

    def __str__(self) -> str:
        return shape_text(self.shape)


@dataclass(frozen=True)
class OpProfile:
    """One op, over all profiled runs.

    `position` is its number in `block`, `depth` how many loops or branches are around it.  `self_ms`
    is `total_ms` without the ops inside, `share` the part of `self_ms` in that of all ops.  `inputs`,
    `outputs` and `bytes` (read and written by one call; 0 for a view; tensor arrays are not counted)
    are those of the latest call.  An op without calls was computed before the run, is a view of
    another value, or stands in a branch that was not taken.
    """

    block: str
    depth: int
    position: int
    op: str
    output: str
    place: str
    calls: int
    total_ms: float
    self_ms: float
    min_ms: float
    max_ms: float
    share: float
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    bytes: int

    @property
    def avg_ms(self) -> float:
        """Mean time of a call; 0 without calls."""
        return self.total_ms / self.calls if self.calls else 0.0

    @property
    def shapes(self) -> str:
        """``[1,3,8,8] [4,3,3,3] -> [1,4,6,6]``."""
        sides = (" ".join(map(str, tensors)) for tensors in (self.inputs, self.outputs))
        return " -> ".join(sides)

    def to_dict(self) -> dict[str, object]:
        """All fields and `avg_ms`, as plain data."""
        return {
            **asdict(self),
            "avg_ms": self.avg_ms,
            "inputs": [_tensor_dict(tensor) for tensor in self.inputs],
            "outputs": [_tensor_dict(tensor) for tensor in self.outputs],
        }


@dataclass(frozen=True)
class TypeProfile:
    """All ops of one type on one place."""

    op: str
    place: str
    ops: int
    calls: int
    self_ms: float
    share: float

    @property
    def avg_ms(self) -> float:
        """Mean time of a call, without ops inside; 0 without calls."""
        return self.self_ms / self.calls if self.calls else 0.0

    def to_dict(self) -> dict[str, object]:
        """All fields and `avg_ms`."""
        return {**asdict(self), "avg_ms": self.avg_ms}


@dataclass(frozen=True)
class Span:
    """One call of an op, or one run: from `start` to `stop` in nanoseconds of one clock."""

    op: OpProfile | None
    start: int
    stop: int


@dataclass(frozen=True)
class Profile:
    """`ops` in the order in which they run, those of a nested block behind the op that runs it.

    `runs` are the profiled runs, before which there were `warmup` others; `calls` are all calls of
    ops in them, in the order in which they ended.
    """

    ops: Sequence[OpProfile]
    runs: Sequence[Span]
    calls: Sequence[Span]
    warmup: int

    @property
    def wall_ms(self) -> float:
        """The mean time of a run."""
        return sum(run.stop - run.start for run in self.runs) / len(self.runs) / 1e6

    @property
    def op_ms(self) -> float:
        """The mean time that a run spends in ops; the rest of `wall_ms` is the engine's."""
        return sum(row.self_ms for row in self.ops) / len(self.runs)

    @property
    def summary(self) -> str:
        """Time of the ops against the wall clock, in a sentence."""
        share = self.op_ms / self.wall_ms if self.wall_ms else 0
        idle = sum(not row.calls for row in self.ops)
        text = f"ops take {self.op_ms:.3f} ms of {self.wall_ms:.3f} ms a run ({share:.1%})"
        return text + (f"; {idle} op{'s' * (idle > 1)} had nothing to do" if idle else "")

    def by_type(self) -> list[TypeProfile]:
        """The ops that ran, summed up by type and place, the most time first."""
        groups: dict[tuple[str, str], list[OpProfile]] = {}
        for row in self.ops:
            if row.calls:
                groups.setdefault((row.op, row.place), []).append(row)
        found = [
            TypeProfile(
                op,
                place,
                len(rows),
                sum(row.calls for row in rows),
                sum(row.self_ms for row in rows),
                sum(row.share for row in rows),
            )
            for (op, place), rows in groups.items()
        ]
        return sorted(found, key=lambda row: -row.self_ms)

    def to_dict(self) -> dict[str, object]:
        """``runs``, ``warmup``, ``wall_ms``, ``op_ms``, ``ops`` and ``types``, all plain data."""
        return {
            "runs": len(self.runs),
            "warmup": self.warmup,
            "wall_ms": self.wall_ms,
            "op_ms": self.op_ms,
            "ops": [row.to_dict() for row in self.ops],
            "types": [row.to_dict() for row in self.by_type()],
        }

    def chrome_trace(self) -> dict[str, object]:
        """The runs and calls in the Trace Event Format, which chrome://tracing and Perfetto show.

        Complete events ("X"); times are microseconds from the begin of the first run.
        """
        begin = self.runs[0].start
        events = [_event(run, begin, f"run {number}", "run", {}) for number, run in enumerate(self.runs)]
        for call in self.calls:
            if call.op is not None:
                detail = {"output": call.op.output, "place": call.op.place, "shapes": call.op.shapes}
                events.append(_event(call, begin, call.op.op, "op", detail))
        return {"traceEvents": events, "displayTimeUnit": "ms"}

    def __str__(self) -> str:
        rows = [op_row(row) for row in self.ops if row.calls]
        return f"{text_table(OP_COLUMNS, rows)}\n{self.summary}"


OP_COLUMNS = (
    "op",
    "type",
    "output",
    "place",
    "calls",
    "total ms",
    "avg ms",
    "min ms",
    "max ms",
    "share %",
    "bytes",
    "shapes",
)
"""What the cells of `op_row` are."""


def op_row(row: OpProfile) -> tuple[object, ...]:
    """The cells of a table; an op of a nested block is indented."""
    times = (round(ms, 4) for ms in (row.total_ms, row.avg_ms, row.min_ms, row.max_ms))
    number = "  " * row.depth + str(row.position)
    share = round(100 * row.share, 2)
    return (number, row.op, row.output, row.place, row.calls, *times, share, row.bytes, row.shapes)


def _tensor_dict(tensor: Tensor) -> dict[str, object]:
    shape = None if tensor.shape is None else list(tensor.shape)
    return {"name": tensor.name, "dtype": str(tensor.dtype), "shape": shape}


def _event(span: Span, begin: int, name: str, kind: str, detail: dict[str, str]) -> dict[str, object]:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": (span.start - begin) / 1e3,
        "dur": (span.stop - span.start) / 1e3,
        "pid": 0,
        "tid": 0,
        "args": detail,
    }
