"""A picture of a comparison with other engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from lite.tools.bench.peers.known import REFERENCE
from lite.tools.bench.peers.row import OURS, Row

_COLOURS = {
    OURS: "#1f5fbf",
    REFERENCE.name: "#8d99ae",
    "OpenVINO": "#c9a227",
    "Paddle Inference": "#6a994e",
    "ncnn": "#9c6ade",
    "MNN": "#d9773b",
    "Paddle-Lite": "#b5495b",
}
_OTHER = "#777777"

_BAR, _GAP, _TOP, _LEFT, _PANEL, _LABEL = 15, 16, 100, 118, 380, 130
"""Pixels: a bar with the space below it, the space between models, what is above the bars and to their
left, the width of a number of threads, and the part of it that is kept for the last label."""


def chart(rows: Sequence[Row]) -> str:
    """SVG: a group for each model, a column for each number of threads, bars from ONNX Runtime's time.

    The scale is logarithmic: a bar to the left is faster than ONNX Runtime, one to the right slower, and
    as long for twice as for half the time.
    """
    counts = list(dict.fromkeys(row.threads for row in rows))
    shares = [math.log2(_share(row, name)) for row in rows for name in row.milliseconds]
    low, high = math.floor(min([-1.0, *shares])), math.ceil(max([1.0, *shares]))
    unit = (_PANEL - _LABEL) / (high - low)
    models = list(dict.fromkeys(row.model for row in rows))
    parts: list[str] = []
    y = _TOP
    tops: list[tuple[str, int]] = []
    for model in models:
        here = {row.threads: row for row in rows if row.model == model}
        engines = list(dict.fromkeys(name for row in here.values() for name in row.milliseconds))
        tops.append((model, y))
        for name in engines:
            parts.append(_text(_LEFT - 8, y + 11, name, "end", bold=name == OURS))
            for column, threads in enumerate(counts):
                row = here.get(threads)
                if row is not None and name in row.milliseconds:
                    zero = _zero(column, low, unit)
                    parts += _bar(name, row.milliseconds[name], _share(row, name), zero, y, unit)
            y += _BAR
        y += _GAP + _BAR
    bottom = y - _GAP - _BAR
    head = [
        _text(8, 18, f"Time of a run, relative to {REFERENCE.name} (logarithmic)", bold=True),
        _text(8, 34, "to the left of the line: faster, to the right: slower"),
    ]
    for column, threads in enumerate(counts):
        zero = _zero(column, low, unit)
        head.append(_text(zero, _TOP - 44, f"{threads} thread{'s' * (threads > 1)}", "middle", bold=True))
        for power in range(low, high + 1):
            x, colour = zero + power * unit, "#555" if power == 0 else "#ddd"
            head.append(f'<path d="M{x:.1f} {_TOP - 24}V{bottom}" stroke="{colour}"/>')
            head.append(_text(x, _TOP - 28, f"{2.0**power:g}×", "middle"))
    titles = [_text(8, top - 6, model, bold=True) for model, top in tops]
    width = _LEFT + _PANEL * len(counts)
    style = "text{font:11px sans-serif;fill:#333}.b{font-weight:bold}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 12}" width="{width}">'
        f"<style>{style}</style>"
        '<rect width="100%" height="100%" fill="#fff"/>' + "".join([*head, *titles, *parts]) + "</svg>\n"
    )


def _share(row: Row, engine: str) -> float:
    return row.milliseconds[engine] / row.milliseconds[REFERENCE.name]


def _zero(column: int, low: int, unit: float) -> float:
    return _LEFT + column * _PANEL + 16 - low * unit


def _bar(name: str, milliseconds: float, share: float, zero: float, y: int, unit: float) -> list[str]:
    end = zero + math.log2(share) * unit
    left, right = min(zero, end), max(zero, end)
    colour = _COLOURS.get(name, _OTHER)
    return [
        f'<rect x="{left:.1f}" y="{y}" width="{right - left:.1f}" height="{_BAR - 3}" fill="{colour}"/>',
        _text(right + 4, y + 10, f"{milliseconds:.2f} ms, {share:.2f}×", bold=name == OURS),
    ]


def _text(x: float, y: float, text: str, anchor: str = "start", *, bold: bool = False) -> str:
    kind = ' class="b"' if bold else ""
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'
