"""What `lite.tools.bench_peers` writes: Markdown, JSON and a bar chart."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lite
from lite.tools.peers import PEERS, REFERENCE

if TYPE_CHECKING:
    from lite.tools.bench_peers import Row

OURS = "litebridge"
_COLOURS = {OURS: "#3b6fb6", "ONNX Runtime": "#8d99ae", "OpenVINO": "#c9a227", "Paddle Inference": "#6a994e"}


def write_pages(rows: Sequence[Row], runs: int, out: Path) -> list[Path]:
    """Write ``<out>.md``, ``<out>.json`` and ``<out>.svg``; their paths."""
    texts = {".md": markdown(rows, runs, out.name), ".json": _json(rows, runs), ".svg": chart(rows)}
    out.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, text in texts.items():
        path = out.with_name(out.name + ending)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def machine() -> dict[str, str]:
    """What was measured on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [
            line for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("model name")
        ]
        model = names[0].partition(":")[2].strip() if names else model
    found = {
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        OURS: lite.__version__,
    }
    found.update((peer.name, peer.version) for peer in PEERS if peer.is_installed)
    return found


def geomean(values: Sequence[float]) -> float:
    """The geometric mean of at least one number."""
    return math.exp(sum(map(math.log, values)) / len(values))


def markdown(rows: Sequence[Row], runs: int, name: str) -> str:
    """Times and ratios by number of threads, differences, and where the time goes."""
    lines = [
        "# litebridge against other engines",
        "",
        f"Medians of {runs} interleaved runs in one process, in ms. With several threads, each run that",
        "counts stands behind three of the same engine: workers of the one before spin for a while.",
        "",
    ]
    lines += [f"- {key}: {value}" for key, value in machine().items()]
    lines += ["", f"Made by `python -m lite.tools.bench_peers`. ![times]({name}.svg)", ""]
    for threads in dict.fromkeys(row.threads for row in rows):
        lines += _times([row for row in rows if row.threads == threads], threads)
    lines += [
        "## Differences",
        "",
        f"Of the outputs from {REFERENCE.name}'s, relative to the largest value.",
        "",
    ]
    lines += ["| model | default precision | strict |", "|---|---|---|"]
    first = rows[0].threads if rows else 0
    lines += [
        f"| {row.model} | {row.differences[OURS]:.1e} | {row.strict:.1e} |"
        for row in rows
        if row.threads == first
    ]
    for row in rows:
        lines += ["", f"## Where the time goes: {row.model}, {row.threads} thread(s)", ""]
        lines += [f"| ops | {OURS} | {REFERENCE.name} | difference |", "|---|---|---|---|"]
        lines += [
            f"| {gap.kind} | {gap.ours:.3f} | {gap.theirs:.3f} | {gap.ours - gap.theirs:+.3f} |"
            for gap in row.gaps
        ]
    return "\n".join(lines) + "\n"


def _times(rows: Sequence[Row], threads: int) -> list[str]:
    engines = list(dict.fromkeys(name for row in rows for name in row.milliseconds))
    others = [name for name in engines if name != OURS]
    head = ["model", *engines, *(f"ratio to {name}" for name in others)]
    lines = [f"## {threads} thread(s)", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [row.model, *(_text(row.milliseconds.get(name), ".2f") for name in engines)]
        cells += [_text(row.ratio(name) if name in row.milliseconds else None, ".2f") for name in others]
        lines.append(f"| {' | '.join(cells)} |")
    means = [
        f"{geomean([row.ratio(name) for row in rows if name in row.milliseconds]):.2f}" for name in others
    ]
    lines.append(f"| geometric mean |{' |' * len(engines)} {' | '.join(means)} |")
    return [*lines, ""]


def _text(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)


def _json(rows: Sequence[Row], runs: int) -> str:
    data: dict[str, Any] = {
        "machine": machine(),
        "runs": runs,
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    return json.dumps(data, indent=2) + "\n"


def chart(rows: Sequence[Row]) -> str:
    """Bars of the times, relative to ONNX Runtime's, in a group for each model and number of threads."""
    bar, gap, left, scale = 14, 14, 190, 220
    parts: list[str] = []
    y = 34
    longest = 1.0
    for row in rows:
        base = row.milliseconds[REFERENCE.name]
        parts.append(f'<text x="8" y="{y + 12}">{row.model}, {row.threads} thread(s)</text>')
        for name, milliseconds in row.milliseconds.items():
            share = milliseconds / base
            longest = max(longest, share)
            width = scale * share
            parts.append(
                f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{bar - 2}" fill="{_COLOURS[name]}"/>'
            )
            parts.append(f'<text x="{left + width + 5:.1f}" y="{y + 10}">{name} {milliseconds:.2f} ms</text>')
            y += bar
        y += gap
    width = left + scale * longest + 200
    style = "text{font:11px sans-serif;fill:#333}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {y}" width="{width:.0f}">'
        f"<style>{style}</style><rect width='100%' height='100%' fill='#fff'/>"
        f'<text x="8" y="18">Time of a run, relative to {REFERENCE.name}: shorter is better</text>'
        + "".join(parts)
        + "</svg>\n"
    )
