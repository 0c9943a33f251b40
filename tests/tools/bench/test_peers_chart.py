"""The picture: bars from ONNX Runtime's time, to the left where an engine is faster."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from lite.tools.bench.peers.row import Row
from lite.tools.bench.peers_chart import chart


def row(model: str, threads: int, **milliseconds: float) -> Row:
    names = {"ours": "litebridge", "theirs": "ONNX Runtime", "lite": "Paddle-Lite", "other": "New <Engine>"}
    return Row(
        model, threads, {names[key]: value for key, value in milliseconds.items()}, {}, {}, 0.0, {}, []
    )


def parts(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(tag)]


def bars(svg: str) -> list[tuple[float, float]]:
    """Left ends and widths, without the ground."""
    return [(float(each.get("x", 0)), float(each.get("width", 0))) for each in parts(svg, "rect")[1:]]


def test_bars_grow_with_the_logarithm_of_the_ratio() -> None:
    svg = chart([row("one", 1, ours=2.0, theirs=4.0, lite=16.0)])

    (ours, half), (zero, nothing), (slow, two) = bars(svg)
    assert nothing == 0
    assert slow == zero
    assert ours + half == pytest.approx(zero, abs=0.2)
    assert two == pytest.approx(2 * half, abs=0.2)


def test_models_below_each_other_threads_side_by_side() -> None:
    rows = [
        row("one", 1, ours=1.0, theirs=2.0),
        row("two", 1, ours=1.0, theirs=2.0, lite=9.0),
        row("one", 2, ours=1.0, theirs=1.0),
    ]

    svg = chart(rows)

    texts = [each.text for each in parts(svg, "text")]
    assert texts[2 : 2 + 1] == ["1 thread"]
    assert "2 threads" in texts
    assert [text for text in texts if text in ("one", "two")] == ["one", "two"]
    assert texts.count("litebridge") == 2
    assert {"1.00 ms, 0.50×", "9.00 ms, 4.50×", "1.00 ms, 1.00×"} <= set(texts)
    places = {(each.get("x"), each.get("y")) for each in parts(svg, "text")}
    assert len(places) == len(texts)
    assert len(bars(svg)) == 7


def test_nothing_is_outside_the_picture() -> None:
    svg = chart([row("one", count, ours=0.01, theirs=1.0, lite=70.0) for count in (1, 2)])

    width, height = (float(text) for text in ElementTree.fromstring(svg).get("viewBox", "").split()[2:])
    assert all(left >= 0 and left + wide + 100 <= width for left, wide in bars(svg))
    assert all(0 < float(each.get("y", 0)) < height for each in parts(svg, "text"))


def test_an_engine_without_a_colour_of_its_own() -> None:
    svg = chart([row("one", 1, ours=1.0, theirs=1.0, other=1.5)])

    assert "New <Engine>" in [each.text for each in parts(svg, "text")]
    assert parts(svg, "rect")[-1].get("fill") == "#777777"
