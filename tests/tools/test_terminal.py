"""Tables, JSON and progress on pipes and terminals."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lite.ir.types import DType
from lite.tools.terminal import cell_text, counting, print_facts, print_json, print_table, progress


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Terminal]:
    """Replaces stdout or stderr by a terminal of 40 columns."""

    def replace(stream: str) -> Terminal:
        terminal = Terminal()
        monkeypatch.setattr(sys, stream, terminal)
        monkeypatch.setenv("COLUMNS", "40")
        monkeypatch.setenv("TERM", "xterm")
        return terminal

    return replace


def test_a_table_in_a_pipe_is_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n", "why"), [("[bold]x", 1, None), ("long" * 40, 20.5, True)], "title")
    out = capsys.readouterr().out.splitlines()
    assert [line.split() for line in out] == [
        ["title"],
        ["name", "n", "why"],
        ["[bold]x", "1", "-"],
        ["long" * 40, "20.5", "yes"],
    ]
    assert not any(line.endswith(" ") for line in out)
    assert len({line.rfind(last) for line, last in zip(out[1:], ("why", "-", "yes"), strict=True)}) == 1


def test_a_table_without_rows_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name",), [])
    assert capsys.readouterr().out == "none\n"


def test_a_table_on_a_terminal_is_wrapped(screen: Callable[[str], Terminal]) -> None:
    terminal = screen("stdout")
    print_table(("a", "b"), [("x" * 30, "y" * 30)])
    text = terminal.getvalue()
    assert text.count("x") == text.count("y") == 30
    assert len(text.splitlines()) > 2


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "-"), (True, "yes"), (False, "no"), (1 / 3, "0.333333"), (7, "7"), (["a", None], "a, -")],
)
def test_cells_have_short_text(cell: object, text: str) -> None:
    assert cell_text(cell) == text


def test_values_of_facts_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"a": 1, "longer": None})
    assert capsys.readouterr().out == "a       1\nlonger  -\n"


@dataclass
class Row:
    dtype: DType
    numbers: tuple[float, ...]


def test_every_value_becomes_json(capsys: pytest.CaptureFixture[str]) -> None:
    nan, inf = float("nan"), float("inf")
    print_json({"row": Row(DType.INT8, (nan, inf, -inf, 0.1)), "path": Path("a"), 3: [True, None, 2]})
    assert json.loads(capsys.readouterr().out) == {
        "row": {"dtype": "int8", "numbers": ["nan", "inf", "-inf", 0.1]},
        "path": "a",
        "3": [True, None, 2],
    }


def test_a_pipe_has_no_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(2, "working") as advance:
        advance()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_has_a_progress_bar(
    screen: Callable[[str], Terminal], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = screen("stderr")
    with progress(2, "working") as advance:
        advance()
        advance()
    assert "working" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_counting_shows_a_bar_with_a_variable_length(screen: Callable[[str], Terminal]) -> None:
    with counting("checking") as show:
        assert show is None
    terminal = screen("stderr")
    with counting("checking") as show:
        assert show is not None
        show(3, 4)
        show(4, 4)
    assert "checking" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
