"""The tables and the chart of a comparison with other engines."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="peers need the extra peers")

from lite.tools.bench_peers import Row
from lite.tools.op_gaps import Gap
from lite.tools.peers_page import geomean, write_pages


def row(model: str, threads: int, ours: float, theirs: float) -> Row:
    times = {"litebridge": ours, "ONNX Runtime": theirs}
    gaps = [Gap("convolution", 3.0, 2.5), Gap("softmax", 0.5, 1.0)]
    return Row(model, threads, times, {"litebridge": 1.5e-4, "ONNX Runtime": 0.0}, 2.5e-6, gaps)


ROWS = [row("one", 1, 1.0, 2.0), row("two", 1, 8.0, 4.0), row("one", 2, 0.5, 2.0)]


def test_geometric_mean() -> None:
    assert geomean([0.5, 2.0, 1.0]) == pytest.approx(1.0)
    assert geomean([0.25, 0.5]) == pytest.approx(0.125**0.5)


def test_pages(tmp_path: Path) -> None:
    written = write_pages(ROWS, 7, tmp_path / "folder" / "peers")
    assert [path.name for path in written] == ["peers.md", "peers.json", "peers.svg"]
    text, data, chart = (path.read_text(encoding="utf-8") for path in written)
    assert "Medians of 7 interleaved runs" in text
    assert "| one | 1.00 | 2.00 | 0.50 |\n| two | 8.00 | 4.00 | 2.00 |\n" in text
    assert "| geometric mean | | | 1.00 |" in text
    assert "| geometric mean | | | 0.25 |" in text
    assert "| one | 1.5e-04 | 2.5e-06 |" in text
    assert "| convolution | 3.000 | 2.500 | +0.500 |" in text
    assert "![times](peers.svg)" in text
    found = json.loads(data)
    assert (found["runs"], len(found["rows"])) == (7, 3)
    assert found["rows"][0]["milliseconds"] == {"litebridge": 1.0, "ONNX Runtime": 2.0}
    bars = [
        float(each.get("width", 0))
        for each in ElementTree.fromstring(chart).iter()
        if each.get("fill", "#fff") != "#fff"
    ]
    assert bars == [110.0, 220.0, 440.0, 220.0, 55.0, 220.0]
