"""What each strategy makes of the buffers of a bound model, and a picture of where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lite.plan.memory import STRATEGIES, Request, aligned, largest_live_set
from lite.runtime.observe.memory_use import Arena
from lite.runtime.segment import Buffer
from lite.tools.drawing import CHARACTER, Drawing, Line, Rect, Shape, Text

WIDTH, PANEL, LEFT, TOP = 1200, 420, 80, 34
"""Pixels: the sheet, an arena's height on it, and the room for its labels."""

_COLORS = ("#8dd3c7", "#ffffb3", "#bebada", "#fdb462", "#80b1d3", "#b3de69", "#fccde5", "#d9d9d9")
_LIVE = "#d62728"


@dataclass(frozen=True)
class StrategyRow:
    """Bytes of all arenas of a model under one strategy, against the sum of their largest live sets."""

    strategy: str
    arena_bytes: int
    largest_live_set: int
    ratio: float | None
    buffers: int


@dataclass(frozen=True)
class ArenaRow:
    """One arena: its instructions, bytes, and the instruction at which most bytes are live."""

    block: str
    start: int
    stop: int
    buffers: int
    arena_bytes: int
    largest_live_set: int
    at: int | None


def compare_strategies(arenas: Sequence[Arena]) -> list[StrategyRow]:
    """What the arenas would need under each strategy."""
    wanted = [requests_of(arena) for arena in arenas]
    live = sum(largest_live_set(requests)[0] for requests in wanted)
    rows = []
    for name, strategy in STRATEGIES.items():
        total = sum(strategy(requests)[1] for requests in wanted)
        rows.append(StrategyRow(name, total, live, total / live if live else None, sum(map(len, wanted))))
    return rows


def arena_rows(arenas: Sequence[Arena]) -> list[ArenaRow]:
    """Each arena as it is."""
    return [
        ArenaRow(
            arena.block, arena.start, arena.stop, len(arena.buffers), arena.size, live, at if live else None
        )
        for arena, (live, at) in ((arena, largest_live_set(requests_of(arena))) for arena in arenas)
    ]


def requests_of(arena: Arena) -> list[Request]:
    """What a strategy was asked for."""
    return [Request(buffer.size, buffer.first, buffer.last) for buffer in arena.buffers]


def draw_arenas(arenas: Sequence[Arena]) -> Drawing:
    """Each arena: time from left to right, offsets upwards, the instruction with most live bytes marked."""
    shapes: list[Shape] = []
    drawn = [arena for arena in arenas if arena.size]
    for number, arena in enumerate(drawn):
        shapes += _panel(arena, number * PANEL)
    if not drawn:
        shapes.append(Text(LEFT, TOP, "no buffers"))
    return Drawing(WIDTH, max(len(drawn), 1) * PANEL, shapes)


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
        shapes.append(Text(LEFT - 8, y + 4, f"{arena.size * quarter // 4:,}", at_end=True))
    for instruction in range(arena.start, last + 1, max((last + 1 - arena.start) // 20, 1)):
        shapes.append(Text(x(instruction), floor + 16, str(instruction)))
    for number, buffer in enumerate(arena.buffers):
        if buffer.size:
            box = Rect(
                x(buffer.first),
                floor - height * (buffer.offset + aligned(buffer.size)) / arena.size,
                (buffer.last + 1 - buffer.first) * step,
                height * aligned(buffer.size) / arena.size,
                _COLORS[number % len(_COLORS)],
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
    """The first name, as much of it as fits in the box."""
    room = int((box.width - 4) / CHARACTER)
    if room < 3 or box.height < 10:
        return []
    name = buffer.names[0]
    return [
        Text(
            box.x + 2, box.y + min(box.height - 2, 11), name if len(name) <= room else name[: room - 1] + "…"
        )
    ]
