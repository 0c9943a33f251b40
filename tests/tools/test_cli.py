"""The program around the commands: help, errors and exit status."""

from __future__ import annotations

import logging
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import lite
from lite.errors import ConfigError
from lite.tools.cli import SECTIONS, main
from tests.tools.tiny_model import call

NAMES = [command.name or "" for commands in SECTIONS.values() for command in commands]


def examples() -> list[str]:
    """Every command in a help text; a backslash continues a line, and three spaces precede a comment."""
    texts = [main.help or "", *(command.help or "" for command in main.commands.values())]
    lines = re.sub(r"\\\n *", "", "\n".join(texts)).splitlines()
    commands = [line.strip().partition("   ")[0] for line in lines]
    return [command for command in commands if command.startswith("litebridge ")]


def test_the_commands_are_listed_in_order() -> None:
    assert main.list_commands(click.Context(main)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_at_least_two_examples(name: str) -> None:
    assert sum(line.split()[1] == name for line in examples()) >= 2


@pytest.mark.parametrize("line", [line for line in examples() if "devices install" not in line])
def test_every_example_succeeds(workplace: Path, line: str) -> None:
    """All but those that download an SDK."""
    result = call(*shlex.split(line)[1:])
    assert (result.exit_code, result.stdout != "") == (0, True), result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_help_page(name: str) -> None:
    result = call(name, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: main {name} ")
    assert "Examples:" in result.stdout


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_fits_80_columns(name: str) -> None:
    result = call(*filter(None, [name]), "--help")
    assert [line for line in result.stdout.splitlines() if len(line) > 80] == []


def test_version_prints_the_version() -> None:
    result = call("--version")
    assert (result.exit_code, result.stdout) == (0, f"litebridge {lite.__version__}\n")


def test_the_module_runs_as_a_program(root: Path) -> None:
    command = [sys.executable, "-m", "lite.tools.cli", "--help"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for title, commands in SECTIONS.items():
        start = lines.index(f"{title}:") + 1
        listed = [line.split()[0] for line in lines[start : start + len(commands)]]
        assert listed == [command.name for command in commands]


def test_help_does_not_import_rich(root: Path) -> None:
    code = (
        "import sys; from lite.tools.cli import main; main(['--help'], standalone_mode=False); "
        "sys.exit(int('rich' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True).returncode == 0


@pytest.mark.parametrize("arguments", [("inof",), ("info",), ("run", "m", "--shape", "x"), ("ops", "--nope")])
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: ")


def test_an_error_prints_one_message_and_exits_with_1(workplace: Path) -> None:
    result = call("info", "no_model")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "litebridge: no_model: no such file or directory; check the path\n"


@pytest.mark.parametrize("arguments", [("--debug", "passes", "no_pass"), ("passes", "no_pass", "--debug")])
def test_debug_raises_the_error(arguments: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="no pass is called 'no_pass'"):
        call(*arguments)


def test_an_error_of_the_system_prints_one_message(workplace: Path) -> None:
    (workplace / "file").write_text("")
    result = call("opt", "model_dir", "--save", "file/inside")
    assert result.exit_code == 1
    assert result.stderr.startswith("litebridge: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_page_below_a_file_names_the_path(workplace: Path) -> None:
    Path("file").write_text("text")
    result = call("visualize", "model_dir", "--html", "file/page.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "litebridge: file: File exists; check the path and its permissions\n"


def test_log_messages_are_printed_to_stderr(workplace: Path) -> None:
    before = list(logging.getLogger("lite").handlers)
    result = call("opt", "model_dir", "-p", "npu_subgraph_pass", "--show-passes")
    assert result.exit_code == 0
    assert result.stderr == (
        "litebridge: info: passes of Paddle-Lite that are not needed here are skipped: npu_subgraph_pass\n"
    )
    assert logging.getLogger("lite").handlers == before
