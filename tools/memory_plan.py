"""Memory plans of a bound model: strategies compared, and a chart of offsets against time."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.memory import STRATEGIES, Request, aligned, largest_live_set
from lite.runtime.observe.memory_use import Arena
from lite.runtime.segment import Buffer
from lite.tools.drawing import CHARACTER, Drawing, Line, Rect, Shape, Text

WIDTH, PANEL, LEFT, TOP = 1200, 420, 80, 34
"""Pixels: width of the sheet, height of an arena's panel, left and upper margin of the panel."""

_COLORS = ("#8dd3c7", "#ffffb3", "#bebada", "#fdb462", "#80b1d3", "#b3de69", "#fccde5", "#d9d9d9")
_LIVE = "#d62728"


@dataclass(frozen=True)
class StrategyRow:
    """Bytes of all arenas of a model with one strategy, and the sum of their largest live sets."""

    strategy: str
    arena_bytes: int
    largest_live_set: int
    ratio: float | None
    buffers: int


@dataclass(frozen=True)
class ArenaRow:
    """One arena: its instructions, its bytes, and the instruction `at` which the most bytes are live."""

    block: str
    start: int
    stop: int
    buffers: int
    arena_bytes: int
    largest_live_set: int
    at: int | None


def compare_strategies(arenas: Sequence[Arena]) -> list[StrategyRow]:
    """The bytes of all arenas with each strategy."""
    arena_requests = [requests_of(arena) for arena in arenas]
    live = sum(largest_live_set(requests)[0] for requests in arena_requests)
    rows = []
    for name, strategy in STRATEGIES.items():
        total = sum(strategy(requests)[1] for requests in arena_requests)
        rows.append(
            StrategyRow(name, total, live, total / live if live else None, sum(map(len, arena_requests)))
        )
    return rows


def arena_rows(arenas: Sequence[Arena]) -> list[ArenaRow]:
    """A row for each arena."""
    return [
        ArenaRow(
            arena.block, arena.start, arena.stop, len(arena.buffers), arena.size, live, at if live else None
        )
        for arena, (live, at) in ((arena, largest_live_set(requests_of(arena))) for arena in arenas)
    ]


def requests_of(arena: Arena) -> list[Request]:
    """The buffers of an arena, as a strategy receives them."""
    return [Request(buffer.size, buffer.first, buffer.last) for buffer in arena.buffers]


def draw_arenas(arenas: Sequence[Arena]) -> Drawing:
    """A panel for each arena: instructions to the right, offsets upwards, the largest live set marked."""
    shapes: list[Shape] = []
    nonempty = [arena for arena in arenas if arena.size]
    for index, arena in enumerate(nonempty):
        shapes += _panel(arena, index * PANEL)
    if not nonempty:
        shapes.append(Text(LEFT, TOP, "no buffers"))
    return Drawing(WIDTH, max(len(nonempty), 1) * PANEL, shapes)


def _panel(arena: Arena, top: float) -> list[Shape]:
    live, at = largest_live_set(requests_of(arena))
    last = max(arena.stop - 1, *(buffer.last for buffer in arena.buffers))
    step = (WIDTH - LEFT - 20) / (last + 1 - arena.start)
    height, floor = PANEL - TOP - 36, top + PANEL - 36

    def x(instruction: int) -> float:
        return LEFT + (instruction - arena.start) * step

    title = (
        f"{arena.block}, instructions {arena.start} to {arena.stop - 1}: arena {arena.size:,} bytes, "
        f"largest live set {live:,} bytes at instruction {at} ({arena.size / live:.3f} times)"
    )
    shapes: list[Shape] = [Text(LEFT, top + TOP - 14, title)]
    for quarter in range(5):
        y = floor - height * quarter / 4
        shapes.append(Line(LEFT - 4, y, WIDTH - 20, y, "#dddddd"))
        shapes.append(Text(LEFT - 8, y + 4, f"{arena.size * quarter // 4:,}", anchor="end"))
    for instruction in range(arena.start, last + 1, max((last + 1 - arena.start) // 20, 1)):
        shapes.append(Text(x(instruction), floor + 16, str(instruction)))
    for index, buffer in enumerate(arena.buffers):
        if buffer.size:
            box = Rect(
                x(buffer.first),
                floor - height * (buffer.offset + aligned(buffer.size)) / arena.size,
                (buffer.last + 1 - buffer.first) * step,
                height * aligned(buffer.size) / arena.size,
                _COLORS[index % len(_COLORS)],
                _note(buffer),
            )
            shapes += [box, *_label(box, buffer)]
    for edge in (x(at), x(at + 1)):
        shapes.append(Line(edge, floor - height * live / arena.size, edge, floor + 4, _LIVE))
    shapes.append(Text(x(at), floor + 30, f"largest live set: {live:,} bytes", color=_LIVE))
    return shapes


def _note(buffer: Buffer) -> str:
    return (
        f"{', '.join(buffer.names)}: {buffer.size:,} bytes at {buffer.offset:,}, "
        f"instructions {buffer.first} to {buffer.last}"
    )


def _label(box: Rect, buffer: Buffer) -> list[Text]:
    """The buffer's first name, shortened to the box; no label for a box that is too small."""
    characters = int((box.width - 4) / CHARACTER)
    if characters < 3 or box.height < 10:
        return []
    name = buffer.names[0]
    shown = name if len(name) <= characters else f"{name[: characters - 1]}…"
    return [Text(box.x + 2, box.y + min(box.height - 2, 11), shown)]
