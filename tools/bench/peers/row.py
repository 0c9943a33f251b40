"""The measurement of one model with one number of threads."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.tools.bench.op_gaps import Gap

OURS = "litebridge"


@dataclass(frozen=True)
class Row:
    """Median milliseconds and their `spread` by engine, and differences from ONNX Runtime's answers.

    `strict` is litebridge's difference in strict precision.  `left_out` has the reason for each engine
    that was left out.
    """

    model: str
    threads: int
    milliseconds: Mapping[str, float]
    spreads: Mapping[str, float]
    differences: Mapping[str, float]
    strict: float
    left_out: Mapping[str, str]
    gaps: Sequence[Gap]

    def ratio(self, engine: str) -> float:
        """The ratio of litebridge's time to an engine's."""
        return self.milliseconds[OURS] / self.milliseconds[engine]


def median_milliseconds(seconds: Sequence[float]) -> float:
    """The median of at least one time."""
    return 1e3 * statistics.median(seconds)


def spread(values: Sequence[float]) -> float:
    """The interquartile range of at least one value, relative to the median."""
    low, middle, high = np.percentile(values, (25, 50, 75))
    return float((high - low) / middle)


def geomean(values: Sequence[float]) -> float:
    """The geometric mean of at least one number."""
    return math.exp(sum(map(math.log, values)) / len(values))
