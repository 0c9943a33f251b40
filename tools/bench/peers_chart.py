"""A bar chart of a comparison with other engines."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.tools.bench.peers.engines import REFERENCE
from lite.tools.bench.peers.row import OURS, Row
from lite.tools.drawing import Drawing, Line, Rect, Shape, Text

_COLORS = {
    OURS: "#1f5fbf",
    REFERENCE.name: "#8d99ae",
    "OpenVINO": "#c9a227",
    "Paddle Inference": "#6a994e",
    "ncnn": "#9c6ade",
    "MNN": "#d9773b",
    "Paddle-Lite": "#b5495b",
}
_OTHER_COLOR = "#777777"

_BAR, _GAP, _TOP, _LEFT, _PANEL, _LABEL = 15, 16, 100, 118, 380, 130
"""Pixels: height of a bar with its space, space between models, margins above and to the left of the bars,
width of the panel of a number of threads, and its part that is free for the label of the longest bar.
"""


def chart(rows: Sequence[Row]) -> Drawing:
    """A group of bars for each model, a panel for each number of threads.

    Bars start at ONNX Runtime's time on a logarithmic scale: they lead to the left for a faster engine and to
    the right for a slower one, and half the time is as long as twice the time.
    """
    counts = list(dict.fromkeys(row.threads for row in rows))
    powers = [math.log2(_ratio(row, name)) for row in rows for name in row.milliseconds]
    low, high = math.floor(min([-1.0, *powers])), math.ceil(max([1.0, *powers]))
    unit = (_PANEL - _LABEL) / (high - low)
    zeros = {threads: _LEFT + column * _PANEL + 16 - low * unit for column, threads in enumerate(counts)}
    bars: list[Shape] = []
    y = _TOP
    for model in dict.fromkeys(row.model for row in rows):
        bars.append(Text(8, y - 6, model, bold=True))
        group = [row for row in rows if row.model == model]
        for name in dict.fromkeys(name for row in group for name in row.milliseconds):
            bars.append(Text(_LEFT - 8, y + 11, name, "end", bold=name == OURS))
            for row in group:
                if name in row.milliseconds:
                    bars += _bar(row, name, zeros[row.threads], y, unit)
            y += _BAR
        y += _GAP + _BAR
    bottom = y - _GAP - _BAR
    shapes: list[Shape] = [
        Text(8, 18, f"Time of a run, relative to {REFERENCE.name} (logarithmic)", bold=True),
        Text(8, 34, "left of the line: faster; right of the line: slower"),
    ]
    for threads, zero in zeros.items():
        shapes.append(Text(zero, _TOP - 44, f"{threads} thread{'s' * (threads > 1)}", "middle", bold=True))
        for power in range(low, high + 1):
            x = round(zero + power * unit, 1)
            shapes.append(Line(x, _TOP - 24, x, bottom, "#dddddd" if power else "#555555"))
            shapes.append(Text(x, _TOP - 28, f"{2.0**power:g}×", "middle"))
    return Drawing(_LEFT + _PANEL * len(counts), bottom + 12, [*shapes, *bars])


def _ratio(row: Row, engine: str) -> float:
    return row.milliseconds[engine] / row.milliseconds[REFERENCE.name]


def _bar(row: Row, engine: str, zero: float, y: int, unit: float) -> list[Shape]:
    ratio = _ratio(row, engine)
    end = zero + math.log2(ratio) * unit
    left, right = round(min(zero, end), 1), round(max(zero, end), 1)
    label = f"{row.milliseconds[engine]:.2f} ms, {ratio:.2f}×"
    return [
        Rect(left, y, right - left, _BAR - 3, _COLORS.get(engine, _OTHER_COLOR)),
        Text(right + 4, y + 10, label, bold=engine == OURS),
    ]
