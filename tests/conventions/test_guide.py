"""Every block of docs/guide runs, in order, in a folder with a small model."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lite
from tests.support.page_folder import page_folder
from tests.support.virtual_environment import Workshop
from tests.tools.tiny_model import tiny

PAGES = sorted(path.name for path in (Path(__file__).parents[2] / "docs" / "guide").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# file: (\S+)\n")
NEEDS = re.compile(r"<!-- needs: (.*) -->")
"""The packages that a page names, without which its blocks cannot run."""


@dataclass(frozen=True)
class Block:
    """A block of a page: its language and its text."""

    language: str
    text: str


def blocks(root: Path, page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = (root / "docs" / "guide" / page).read_text(encoding="utf-8")
    return [Block(*groups) for groups in BLOCK.findall(text)]


@pytest.fixture(scope="module")
def environment(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("environment") / "venv", root)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder: it has `model_dir`, a Paddle model with the input x and the output y."""
    lite.save_program(tiny(), tmp_path / "model_dir")
    with page_folder(tmp_path, monkeypatch) as current:
        yield current


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_python_console_or_output(root: Path, page: str) -> None:
    languages = [block.language for block in blocks(root, page)]

    assert set(languages) <= {"python", "sh", "text"}
    assert (root / "docs" / "guide" / page).read_text(encoding="utf-8").count("```") == 2 * len(languages)
    assert all(before == "python" for before, after in itertools.pairwise(languages) if after == "text")


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_run_and_print_what_the_page_shows(
    root: Path, page: str, folder: Path, environment: Workshop
) -> None:
    needed = NEEDS.search((root / "docs" / "guide" / page).read_text(encoding="utf-8"))
    for package in needed.group(1).split() if needed else ():
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for number, block in enumerate(blocks(root, page)):
        named = FILE.match(block.text)
        if named is not None:
            (folder / named.group(1)).write_text(block.text[named.end() :], encoding="utf-8")
        elif block.language == "text":
            assert printed == block.text
        elif block.language == "sh":
            environment.run(block.text, folder)
        else:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block.text, f"docs/guide/{page}, block {number}", "exec"), names)
            printed = output.getvalue()
