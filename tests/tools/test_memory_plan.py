"""Strategies compared on the same buffers, and the chart of a plan."""

from __future__ import annotations

from lite.runtime.observe.memory_use import Arena
from lite.runtime.segment import Buffer
from lite.tools.drawing import Line, Rect, Text
from lite.tools.memory_plan import ArenaRow, StrategyRow, arena_rows, compare_strategies, draw_arenas

CHAIN = Arena(
    "main",
    2,
    5,
    896,
    (
        Buffer(("a",), 0, 128, 2, 3),
        Buffer(("b", "b_relu"), 128, 256, 3, 4),
        Buffer(("c",), 384, 500, 4, 4),
        Buffer(("nothing",), 0, 0, 4, 4),
    ),
)
EMPTY = Arena("block1", 0, 1, 0, ())


def test_each_strategy_has_a_row() -> None:
    assert compare_strategies([CHAIN, EMPTY]) == [
        StrategyRow("compact", 768, 768, 1.0, 4),
        StrategyRow("best_fit", 768, 768, 1.0, 4),
        StrategyRow("mru", 896, 768, 896 / 768, 4),
        StrategyRow("plain", 896, 768, 896 / 768, 4),
    ]
    assert [row.ratio for row in compare_strategies([EMPTY])] == [None] * 4


def test_each_arena_has_a_row() -> None:
    assert arena_rows([CHAIN, EMPTY]) == [
        ArenaRow("main", 2, 5, 4, 896, 768, 4),
        ArenaRow("block1", 0, 1, 0, 0, 0, None),
    ]


def test_box_of_a_buffer_spans_its_bytes_and_instructions() -> None:
    drawing = draw_arenas([CHAIN, EMPTY])
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Rect)]
    assert [box.note for box in boxes] == [
        "a: 128 bytes at 0, instructions 2 to 3",
        "b, b_relu: 256 bytes at 128, instructions 3 to 4",
        "c: 500 bytes at 384, instructions 4 to 4",
    ]
    a, b, c = boxes
    assert (a.width, b.width) == (2 * c.width, 2 * c.width)
    assert b.x == c.x - c.width == a.x + c.width
    assert round(c.height / a.height, 9) == 4
    assert round(b.y + b.height - a.y, 9) == 0
    for box in boxes:
        assert 0 <= box.x <= box.x + box.width <= drawing.width
        assert 0 <= box.y <= box.y + box.height <= drawing.height
    words = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
    assert words[0] == (
        "main, instructions 2 to 4: arena 896 bytes, "
        "largest live set 768 bytes at instruction 4 (1.167 times)"
    )
    assert [word for word in words if word in ("a", "b", "c", "nothing")] == ["a", "b", "c"]
    assert words[-1] == "largest live set: 768 bytes"
    marked = [shape.x for shape in drawing.shapes if isinstance(shape, Line) and shape.x == shape.x2]
    assert marked == [c.x, c.x + c.width]


def test_chart_of_empty_arena_says_so() -> None:
    assert [shape.text for shape in draw_arenas([EMPTY]).shapes if isinstance(shape, Text)] == ["no buffers"]
