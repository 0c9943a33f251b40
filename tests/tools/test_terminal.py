"""Tables, JSON and progress on pipes and terminals."""

from __future__ import annotations

import io
import json
import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lite.ir.types import DType
from lite.tools.options.output import json_option
from lite.tools.terminal import (
    cell_text,
    counting,
    print_facts,
    print_json,
    print_table,
    print_text,
    progress,
    working,
)


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


def test_a_table_in_a_pipe_has_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n", "why"), [("[bold]x", 1, None), ("long" * 15, 20.5, "yes" * 10)], "title")
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "title",
        "name" + " " * 61 + "n",
        "[bold]x" + " " * 58 + "1",
        "long" * 15 + "  20.5",
        "(--wide shows why, too)",
    ]


@click.command()
@json_option
def wide(as_json: bool) -> None:
    """Print a wide table."""
    print_table(("a", "b"), [("x" * 70, as_json)])
    print_text("word " * 20)
    print_facts({"name": "word " * 20})


def test_wide_prints_everything() -> None:
    lines = CliRunner().invoke(wide, ["--wide"]).stdout.splitlines()
    assert [len(line) for line in lines] == [73, 74, 100, 106]
    assert max(map(len, CliRunner().invoke(wide).stdout.splitlines())) <= 80


def test_long_facts_wrap_below_their_values(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"a": "word " * 20 + "end", "longer": 1})
    assert capsys.readouterr().out == (
        f"a       {'word ' * 14}".rstrip() + "\n" + f"        {'word ' * 6}end\nlonger  1\n"
    )


def test_a_table_without_rows_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name",), [])
    assert capsys.readouterr().out == "none\n"


def test_a_table_on_a_terminal_fits_it(screen: Callable[[str], Terminal]) -> None:
    terminal = screen("stdout")
    print_table(("a", "b"), [("x" * 30, "y" * 30)])
    text = terminal.getvalue()
    assert (text.count("x" * 30), text.count("y")) == (1, 0)
    assert "(--wide shows b, too)" in text


def test_work_that_is_quick_shows_nothing(screen: Callable[[str], Terminal]) -> None:
    terminal = screen("stderr")
    with working("loading"):
        pass
    assert terminal.getvalue() == ""


def test_long_work_shows_how_many_kernels_were_compiled(
    screen: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lite.tools.terminal.PATIENCE", 0.01)
    terminal = screen("stderr")
    with working("loading"):
        for _ in range(3):
            logging.getLogger("lite.kernels.cpu.native.code_store").debug("compiled the kernel")
        end = time.monotonic() + 20
        while "3 kernels compiled" not in terminal.getvalue():
            assert time.monotonic() < end
            time.sleep(0.02)


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
