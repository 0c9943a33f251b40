"""The pages of `lite.tools.bench.against_peers`: Markdown, JSON and a bar chart."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lite
from lite.dataclass import dataclass
from lite.tools.bench.peers.agreement import TOLERANCE
from lite.tools.bench.peers.engines import REFERENCE
from lite.tools.bench.peers.row import OURS, Row, geomean
from lite.tools.bench.peers.turns import Turns
from lite.tools.bench.peers_chart import chart
from lite.tools.bench.processor import processor


@dataclass(frozen=True)
class Conditions:
    """The conditions of a measurement: the turns, and the versions of the engines."""

    turns: Turns
    versions: Mapping[str, str]


def write_pages(rows: Sequence[Row], conditions: Conditions, out: Path) -> list[Path]:
    """Write ``<out>.md``, ``<out>.json`` and ``<out>.svg`` for at least one row; return the paths."""
    texts = {
        ".md": markdown(rows, conditions, out.name),
        ".json": _json(rows, conditions),
        ".svg": chart(rows).svg(),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for ending, text in texts.items():
        path = out.with_name(out.name + ending)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def machine() -> dict[str, str]:
    """The processor, the system and the versions of a measurement."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        OURS: lite.__version__,
    }


def markdown(rows: Sequence[Row], conditions: Conditions, name: str) -> str:
    """The page: times and ratios by number of threads, differences, and times by kind of op."""
    lines = [
        "# litebridge against other engines",
        "",
        *_method(conditions.turns),
        "",
    ]
    lines += [f"- {key}: {value}" for key, value in {**machine(), **conditions.versions}.items()]
    lines += ["", f"Written by `python -m lite.tools.bench.against_peers`. ![times]({name}.svg)", ""]
    for threads in dict.fromkeys(row.threads for row in rows):
        lines += _times([row for row in rows if row.threads == threads], threads)
    lines += _differences([row for row in rows if row.threads == rows[0].threads])
    lines += [
        "",
        "## Time by kind of op",
        "",
        "Milliseconds of a profiled run. Profiling adds some time to each op in both engines.",
    ]
    for row in rows:
        lines += ["", f"### {row.model}, {row.threads} thread(s)", ""]
        lines += [f"| ops | {OURS} | {REFERENCE.name} | difference |", "|---|---|---|---|"]
        lines += [
            f"| {gap.kind} | {gap.ours:.3f} | {gap.theirs:.3f} | {gap.ours - gap.theirs:+.3f} |"
            for gap in row.gaps
        ]
    return "\n".join(lines) + "\n"


def _method(turns: Turns) -> list[str]:
    settling = f"at least {1e3 * turns.settling_seconds:.0f} ms and {turns.settling_runs} runs"
    return [
        f"Medians in ms of {turns.rounds * turns.counted} runs. Each engine takes {turns.rounds} turns,",
        "in an order that changes. A turn starts with runs that do not count, since the workers of the",
        f"previous engine spin for a while: {settling}. The next {turns.counted} runs count.",
        "A run reads its inputs from numpy arrays and returns its outputs as numpy arrays.",
        "",
        "All engines compute in float32, also ncnn, which stores float16 by default. litebridge, Paddle",
        "Inference and Paddle-Lite read PP-OCR's Paddle files; the others read ONNX or a converter's output:",
        "pnnx's for ncnn, MNN's own for MNN. MNN uses small Winograd tiles: as fast here, and more exact.",
        "Paddle-Lite runs and is timed in another process.",
    ]


def _times(rows: Sequence[Row], threads: int) -> list[str]:
    engines = _names([row.milliseconds for row in rows])
    lines = [f"## {threads} thread(s)", "", *_head("model", engines)]
    for row in rows:
        lines.append(_line(row.model, [_text(row.milliseconds.get(name), ".2f") for name in engines]))
    reasons = [f"- {engine}, {', '.join(models)}: {reason}" for engine, reason, models in _reasons(rows)]
    lines += ["", *reasons] if reasons else []
    widest, engine, model = max((row.spreads[name], name, row.model) for row in rows for name in row.spreads)
    lines += [
        "",
        f"The interquartile range of times is at most {widest:.0%} of their median ({engine}, {model}).",
    ]
    others = [name for name in engines if name != OURS]
    lines += ["", f"{OURS}'s time divided by the other engine's; {OURS} is faster if it is below 1.", ""]
    lines += _head("model", others)
    for row in rows:
        ratios = [row.ratio(name) if name in row.milliseconds else None for name in others]
        lines.append(_line(row.model, [_text(ratio, ".2f") for ratio in ratios]))
    means = [geomean([row.ratio(name) for row in rows if name in row.milliseconds]) for name in others]
    return [*lines, _line("geometric mean", [f"{mean:.2f}" for mean in means]), ""]


def _reasons(rows: Sequence[Row]) -> list[tuple[str, str, list[str]]]:
    """An engine, the reason why it is left out, and the models."""
    models_of: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for engine, reason in row.left_out.items():
            models_of.setdefault((engine, reason.rstrip(".")), []).append(row.model)
    return [(engine, reason, models) for (engine, reason), models in models_of.items()]


def _differences(rows: Sequence[Row]) -> list[str]:
    others = [name for name in _names([row.differences for row in rows]) if name != OURS]
    lines = [
        "## Differences",
        "",
        f"The largest difference of an output from {REFERENCE.name}'s, relative to its largest value.",
        f"An engine whose difference is above {TOLERANCE:g} is not timed.",
        "",
        *_head("model", [OURS, f"{OURS}, strict", *others]),
    ]
    for row in rows:
        cells = [row.differences[OURS], row.strict, *(row.differences.get(name) for name in others)]
        lines.append(_line(row.model, [_text(cell, ".1e") for cell in cells]))
    return lines


def _names(tables: Sequence[Mapping[str, float]]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table))


def _head(first: str, names: Sequence[str]) -> list[str]:
    return [_line(first, names), "|---" * (len(names) + 1) + "|"]


def _line(first: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join([first, *cells])} |"


def _text(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)


def _json(rows: Sequence[Row], conditions: Conditions) -> str:
    data: dict[str, Any] = {
        "machine": machine(),
        **dataclasses.asdict(conditions),
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    return json.dumps(data, indent=2) + "\n"
