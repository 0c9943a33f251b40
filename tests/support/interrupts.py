"""Interrupts at chosen lines, and counts of lines, by tracing."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import lite

Line = tuple[str, int]
"""A file and a line."""


def traced(function: Callable[[], Any], on_line: Callable[[Line], None]) -> Any:
    """The result of a function; `on_line` is called before each line of the package that it runs."""
    package = os.path.dirname(lite.__file__)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(package):
            return None
        if event == "line":
            on_line((name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return function()
    finally:
        sys.settrace(before)


def interrupted(function: Callable[[], Any], line: Line) -> bool:
    """Run a function, with a KeyboardInterrupt when it first comes to a line; whether it came there."""
    came = False

    def on_line(place: Line) -> None:
        nonlocal came
        if place == line and not came:
            came = True
            sys.settrace(None)
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        traced(function, on_line)
    return came


def lines_of(function: Callable[[], Any]) -> list[Line]:
    lines: dict[Line, None] = {}
    traced(function, lambda line: lines.setdefault(line))
    return list(lines)


def count_lines(function: Callable[[], Any]) -> int:
    """How many lines of the package a function runs: its work, on a busy machine, too."""
    count = 0

    def on_line(_: Line) -> None:
        nonlocal count
        count += 1

    traced(function, on_line)
    return count
