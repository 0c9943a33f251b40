"""The tables of a comparison with other engines."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lite.tools.bench.op_gaps import Gap
from lite.tools.bench.peers.row import Row, geomean, median_milliseconds, spread
from lite.tools.bench.peers.turns import Turns
from lite.tools.bench.peers_page import Conditions, write_pages

OURS, REFERENCE, NCNN = "litebridge", "ONNX Runtime", "ncnn"
GAPS = [Gap("convolution", 3.0, 2.5), Gap("softmax", 0.5, 1.0)]
DECLINED = {NCNN: "its converter fails: no such op."}


def row(model: str, threads: int, ours: float, theirs: float, ncnn: float | None = None) -> Row:
    times = {OURS: ours, REFERENCE: theirs, **({} if ncnn is None else {NCNN: ncnn})}
    differences = {OURS: 1.5e-4, **({} if ncnn is None else {NCNN: 3e-7})}
    spreads = {name: 0.01 * value for name, value in times.items()}
    return Row(model, threads, times, spreads, differences, 2.5e-6, DECLINED if ncnn is None else {}, GAPS)


ROWS = [
    row("one", 1, 1.0, 2.0),
    row("two", 1, 8.0, 4.0, 16.0),
    row("three", 1, 1.0, 1.0),
    row("one", 2, 0.5, 2.0),
]
CONDITIONS = Conditions(Turns(7, 0.25, 3, 5), {REFERENCE: "1.2.3", NCNN: "4.5"})


def pages(tmp_path: Path) -> list[Path]:
    return write_pages(ROWS, CONDITIONS, tmp_path / "folder" / "peers")


def test_the_geometric_mean_of_numbers() -> None:
    assert geomean([0.5, 2.0, 1.0]) == pytest.approx(1.0)
    assert geomean([0.25, 0.5]) == pytest.approx(0.125**0.5)


def test_the_median_is_in_milliseconds() -> None:
    assert median_milliseconds([0.002, 0.009, 0.001]) == pytest.approx(2.0)


def test_the_spread_is_the_relative_interquartile_range() -> None:
    assert spread([4.0, 1.0, 2.0, 3.0, 5.0]) == pytest.approx(2 / 3)
    assert spread([7.0]) == 0.0


def test_the_page_has_times_and_ratios(tmp_path: Path) -> None:
    text = pages(tmp_path)[0].read_text(encoding="utf-8")

    assert "Medians in ms of 35 runs. Each engine takes 7 turns" in text
    assert "at least 250 ms and 3 runs. The next 5 runs count." in text
    assert "- ONNX Runtime: 1.2.3\n- ncnn: 4.5\n" in text
    assert "![times](peers.svg)" in text
    one, two = text.split("## 2 thread(s)")[0], text.split("## 2 thread(s)")[1]
    assert (
        "## 1 thread(s)\n\n"
        "| model | litebridge | ONNX Runtime | ncnn |\n|---|---|---|---|\n"
        "| one | 1.00 | 2.00 | - |\n| two | 8.00 | 4.00 | 16.00 |\n| three | 1.00 | 1.00 | - |\n\n"
        "- ncnn, one, three: its converter fails: no such op\n\n"
        "The interquartile range of times is at most 16% of their median (ncnn, two).\n\n"
    ) in one
    assert (
        "| model | ONNX Runtime | ncnn |\n|---|---|---|\n"
        "| one | 0.50 | - |\n| two | 2.00 | 0.50 |\n| three | 1.00 | - |\n| geometric mean | 1.00 | 0.50 |\n"
    ) in one
    assert "| model | ONNX Runtime |\n|---|---|\n| one | 0.25 |\n| geometric mean | 0.25 |\n" in two


def test_the_page_has_differences_and_kinds_of_ops(tmp_path: Path) -> None:
    text = pages(tmp_path)[0].read_text(encoding="utf-8")

    assert (
        "| model | litebridge | litebridge, strict | ncnn |\n|---|---|---|---|\n"
        "| one | 1.5e-04 | 2.5e-06 | - |\n| two | 1.5e-04 | 2.5e-06 | 3.0e-07 |\n"
    ) in text
    assert text.count("| convolution | 3.000 | 2.500 | +0.500 |\n| softmax | 0.500 | 1.000 | -0.500 |\n") == 4
    assert "### one, 2 thread(s)" in text


def test_without_a_left_out_engine_the_page_has_no_reasons(tmp_path: Path) -> None:
    [path, *_] = write_pages([row("two", 1, 8.0, 4.0, 16.0)], CONDITIONS, tmp_path / "peers")

    text = path.read_text(encoding="utf-8")
    assert "| two | 8.00 | 4.00 | 16.00 |\n\nThe interquartile range of times" in text


def test_the_document_and_the_chart_are_written(tmp_path: Path) -> None:
    written = pages(tmp_path)

    assert [path.name for path in written] == ["peers.md", "peers.json", "peers.svg"]
    document = json.loads(written[1].read_text(encoding="utf-8"))
    assert document["turns"] == {"rounds": 7, "settling_seconds": 0.25, "settling_runs": 3, "counted": 5}
    assert document["versions"] == {REFERENCE: "1.2.3", NCNN: "4.5"}
    assert document["rows"][0] == {
        "model": "one",
        "threads": 1,
        "milliseconds": {OURS: 1.0, REFERENCE: 2.0},
        "spreads": {OURS: 0.01, REFERENCE: 0.02},
        "differences": {OURS: 1.5e-4},
        "strict": 2.5e-6,
        "left_out": DECLINED,
        "gaps": [
            {"kind": "convolution", "ours": 3.0, "theirs": 2.5},
            {"kind": "softmax", "ours": 0.5, "theirs": 1.0},
        ],
    }
    assert len(document["rows"]) == 4
    assert ElementTree.fromstring(written[2].read_text(encoding="utf-8")).tag.endswith("svg")
