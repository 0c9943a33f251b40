"""Profile: the time that each op of a model took, as a table, as plain data and as a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from lite.dataclass import dataclass
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
        """Its size; 0 where the size is unknown."""
        dims = [dim for dim in self.shape or () if isinstance(dim, int)]
        if self.shape is None or len(dims) < len(self.shape):
            return 0
        return math.prod(dims) * self.dtype.itemsize

    def __str__(self) -> str:
        return shape_text(self.shape)


@dataclass(frozen=True)
class OpProfile:
    """One op, over all profiled runs.

    `position` is the op's number in `block`, `depth` the number of loops and branches around it.  `self_ms`
    is `total_ms` without the ops inside it; `share` is its fraction of all ops' time.  `inputs`, `outputs`
    and `bytes` are of the latest call; `bytes` counts what one call reads and writes, 0 for a view, and
    leaves tensor arrays out.  An op without calls was computed before the run, is a view of another value,
    or is in a branch that was not taken.
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
        """Mean time of a call, without the ops inside; 0 without calls."""
        return self.self_ms / self.calls if self.calls else 0.0

    def to_dict(self) -> dict[str, object]:
        """All fields and `avg_ms`."""
        return {**asdict(self), "avg_ms": self.avg_ms}


@dataclass(frozen=True)
class Span:
    """One call of an op, or one run (`op` is None): from `start` to `stop`, in nanoseconds of one clock."""

    op: OpProfile | None
    start: int
    stop: int


@dataclass(frozen=True)
class Profile:
    """The profile of some runs; `str` of it is a table.

    `ops` are in the order of their instructions; those of a sub-block follow the op that runs it.  `runs`
    are the profiled runs, which followed `warmup` others.  `calls` are all calls of ops in these runs, in
    the order in which they ended.
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
        """The mean time that a run spends in ops; the rest of `wall_ms` is the engine's own."""
        return sum(row.self_ms for row in self.ops) / len(self.runs)

    @property
    def summary(self) -> str:
        """The time of the ops and of the runs, in a sentence."""
        share = self.op_ms / self.wall_ms if self.wall_ms else 0
        idle = sum(not row.calls for row in self.ops)
        text = f"ops take {self.op_ms:.3f} ms of {self.wall_ms:.3f} ms a run ({share:.1%})"
        return text + (f"; {idle} op{'s' * (idle > 1)} had nothing to do" if idle else "")

    def by_type(self) -> list[TypeProfile]:
        """The ops that ran, summed up by type and place; the slowest type comes first."""
        groups: dict[tuple[str, str], list[OpProfile]] = {}
        for row in self.ops:
            if row.calls:
                groups.setdefault((row.op, row.place), []).append(row)
        types = [
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
        return sorted(types, key=lambda row: -row.self_ms)

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
        """The runs and calls in the Trace Event Format, for chrome://tracing and Perfetto.

        They are complete events ("X"), with times in microseconds since the start of the first run.
        """
        origin = self.runs[0].start
        events = [_event(run, origin, f"run {number}", "run", {}) for number, run in enumerate(self.runs)]
        for call in self.calls:
            if call.op is not None:
                detail = {"output": call.op.output, "place": call.op.place, "shapes": call.op.shapes}
                events.append(_event(call, origin, call.op.op, "op", detail))
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
"""The columns of `op_row`."""


def op_row(row: OpProfile) -> tuple[object, ...]:
    """An op as a row of a table; the number of an op in a sub-block is indented."""
    times = (round(ms, 4) for ms in (row.total_ms, row.avg_ms, row.min_ms, row.max_ms))
    number = "  " * row.depth + str(row.position)
    share = round(100 * row.share, 2)
    return (number, row.op, row.output, row.place, row.calls, *times, share, row.bytes, row.shapes)


def _tensor_dict(tensor: Tensor) -> dict[str, object]:
    shape = None if tensor.shape is None else list(tensor.shape)
    return {"name": tensor.name, "dtype": str(tensor.dtype), "shape": shape}


def _event(span: Span, origin: int, name: str, kind: str, detail: dict[str, str]) -> dict[str, object]:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": (span.start - origin) / 1e3,
        "dur": (span.stop - span.start) / 1e3,
        "pid": 0,
        "tid": 0,
        "args": detail,
    }
