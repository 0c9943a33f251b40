"""The bar chart: bars from ONNX Runtime's time, to the left for a faster engine."""

from __future__ import annotations

import pytest

from lite.tools.bench.peers.row import Row
from lite.tools.bench.peers_chart import chart
from lite.tools.drawing import Drawing, Line, Rect, Text


def row(model: str, threads: int, **milliseconds: float) -> Row:
    names = {"ours": "litebridge", "theirs": "ONNX Runtime", "lite": "Paddle-Lite", "other": "New <Engine>"}
    return Row(
        model, threads, {names[key]: value for key, value in milliseconds.items()}, {}, {}, 0.0, {}, []
    )


def bars(drawing: Drawing) -> list[Rect]:
    return [shape for shape in drawing.shapes if isinstance(shape, Rect)]


def labels(drawing: Drawing) -> list[Text]:
    return [shape for shape in drawing.shapes if isinstance(shape, Text)]


def test_bars_grow_with_the_logarithm_of_the_ratio() -> None:
    drawing = chart([row("one", 1, ours=2.0, theirs=4.0, lite=16.0)])

    ours, theirs, slow = bars(drawing)
    [line] = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.color == "#555555"]
    assert (theirs.x, theirs.width, slow.x) == (line.x, 0, line.x)
    assert ours.x + ours.width == pytest.approx(line.x, abs=0.2)
    assert slow.width == pytest.approx(2 * ours.width, abs=0.2)


def test_models_are_groups_and_numbers_of_threads_are_panels() -> None:
    rows = [
        row("one", 1, ours=1.0, theirs=2.0),
        row("two", 1, ours=1.0, theirs=2.0, lite=9.0),
        row("one", 2, ours=1.0, theirs=1.0),
    ]

    drawing = chart(rows)

    captions = [label.text for label in labels(drawing)]
    assert [text for text in captions if text.endswith((" thread", " threads"))] == ["1 thread", "2 threads"]
    assert [text for text in captions if text in ("one", "two")] == ["one", "two"]
    assert captions.count("litebridge") == 2
    assert {"1.00 ms, 0.50×", "9.00 ms, 4.50×", "1.00 ms, 1.00×"} <= set(captions)
    assert len({(label.x, label.y) for label in labels(drawing)}) == len(captions)
    assert len(bars(drawing)) == 7


def test_bars_and_labels_are_inside_the_drawing() -> None:
    drawing = chart([row("one", count, ours=0.01, theirs=1.0, lite=70.0) for count in (1, 2)])

    assert all(bar.x >= 0 and bar.x + bar.width + 100 <= drawing.width for bar in bars(drawing))
    assert all(0 < label.y < drawing.height for label in labels(drawing))


def test_unknown_engine_is_grey() -> None:
    drawing = chart([row("one", 1, ours=1.0, theirs=1.0, other=1.5)])

    assert "New <Engine>" in [label.text for label in labels(drawing)]
    assert bars(drawing)[-1].fill == "#777777"
