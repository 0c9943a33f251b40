"""What is measured of one model with one number of threads."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lite.tools.bench.op_gaps import Gap

OURS = "litebridge"


@dataclass(frozen=True)
class Row:
    """Median milliseconds by engine, how far the answers are from ONNX Runtime's, and who is left out why.

    `spreads` are by engine, too, as `spread` has them; `strict` is litebridge's difference in strict
    precision.
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
        """litebridge's time divided by an engine's."""
        return self.milliseconds[OURS] / self.milliseconds[engine]


def median_milliseconds(seconds: Sequence[float]) -> float:
    """The median of at least one time."""
    return 1e3 * statistics.median(seconds)


def spread(values: Sequence[float]) -> float:
    """How wide the middle half of at least one value is, relative to the median."""
    low, middle, high = np.percentile(values, (25, 50, 75))
    return float((high - low) / middle)


def geomean(values: Sequence[float]) -> float:
    """The geometric mean of at least one number."""
    return math.exp(sum(map(math.log, values)) / len(values))
