"""Lengths, places and names of files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

LONGEST = 400
MOST_FILES = 40
FOLDERS = ("lite", "bridges", "emitters", "kernels", "model_parser", "tools", "tests")
LINKED = ("bridges", "emitters", "kernels", "model_parser", "tools")


def sources(root: Path) -> list[Path]:
    """Every Python file of the tree that a person wrote, once: links are left out."""
    paths = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            inside = path.relative_to(root)
            linked = inside.parts[0] == "lite" and inside.parts[1] in LINKED
            if not linked and not path.name.endswith("_pb2.py"):
                paths.append(path)
    return paths


def too_long(path: Path) -> bool:
    """Whether a file is over the limit and its docstring gives no reason ("Longer than 400 lines: …")."""
    text = path.read_text(encoding="utf-8")
    if len(text.splitlines()) <= LONGEST:
        return False
    reason = rf"longer than {LONGEST} lines\W+\w+"
    return not re.search(reason, ast.get_docstring(ast.parse(text)) or "", re.IGNORECASE)


def test_files_are_short_or_say_why(root: Path) -> None:
    assert [str(path.relative_to(root)) for path in sources(root) if too_long(path)] == []


def test_folders_of_product_code_have_few_files(root: Path) -> None:
    counts = Counter(path.parent for path in sources(root) if path.relative_to(root).parts[0] != "tests")
    assert {str(f.relative_to(root)): n for f, n in counts.items() if n > MOST_FILES} == {}


def test_a_reason_in_the_docstring_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    body = "x = 1\n" * LONGEST

    path.write_text(f'"""Longer than 400 lines: a table."""\n{body}')
    assert not too_long(path)

    path.write_text(f'"""A table."""\n{body}')
    assert too_long(path)


def test_every_folder_of_tests_is_a_package(root: Path) -> None:
    folders = {path.parent for path in (root / "tests").rglob("*.py")}
    assert sorted(str(f.relative_to(root)) for f in folders if not (f / "__init__.py").is_file()) == []


@pytest.mark.parametrize("name", LINKED)
def test_links_are_relative_links(root: Path, name: str) -> None:
    link = root / "lite" / name
    assert link.is_symlink()
    assert link.readlink().as_posix() == f"../{name}"


@pytest.mark.parametrize("name", LINKED)
def test_folders_refuse_their_bare_name(root: Path, name: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import {name}"], cwd=root, capture_output=True, text=True)

    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"lite.{name}" in last


def test_tools_hide_no_standard_module(root: Path) -> None:
    # `python3 tools/dev.py` puts tools/ first on the import path.
    names = {path.stem for path in (root / "tools").iterdir()}
    assert names & sys.stdlib_module_names == set()
