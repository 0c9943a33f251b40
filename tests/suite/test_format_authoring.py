"""The blocks of docs/format_authoring.md, run in order in a copy of the tree."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.virtual_environment import Workshop

GUIDE = "docs/format_authoring.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# file: (\S+)\n")
TREE = ("lite", "bridges", "kernels", "model_parser", "tools", "setup.cfg", "pyproject.toml")
OWN_FOLDERS = ("model_parser/tinynet/", "tests/model_parser/tinynet/")


@dataclass(frozen=True)
class Step:
    """A block of the guide: its language, its text and the file that it is written to, if any."""

    language: str
    text: str
    file: str | None


def steps(root: Path) -> Iterator[Step]:
    for language, text in BLOCK.findall((root / GUIDE).read_text(encoding="utf-8")):
        named = FILE.match(text)
        yield Step(language, text if named is None else text[named.end() :], named and named.group(1))


def test_every_block_is_run_or_written(root: Path) -> None:
    blocks = list(steps(root))
    assert (root / GUIDE).read_text(encoding="utf-8").count("```") == 2 * len(blocks)
    assert [step for step in blocks if step.file is None and step.language not in ("sh", "python")] == []


def test_the_format_touches_its_own_folders_only(root: Path) -> None:
    files = [step.file for step in steps(root) if step.file is not None and step.language == "python"]
    assert len(files) >= 7
    assert [file for file in files if not file.startswith(OWN_FOLDERS)] == []


def test_links_of_the_guide_lead_to_files(root: Path) -> None:
    targets = re.findall(r"\]\(([\w./]+\.md)\)", (root / GUIDE).read_text(encoding="utf-8"))
    assert len(targets) >= 3
    assert [target for target in targets if not (root / "docs" / target).exists()] == []


@pytest.mark.slow
def test_the_format_of_the_guide_is_parsed_and_checked(root: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in TREE:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(root / name, tree / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(root / name, tree / name)
    workshop = Workshop(tmp_path / "venv", tree)
    printed: list[str] = []
    for number, step in enumerate(steps(root)):
        if step.file is not None:
            (tree / step.file).parent.mkdir(parents=True, exist_ok=True)
            (tree / step.file).write_text(step.text, encoding="utf-8")
        elif step.language == "sh":
            printed.append(workshop.run(step.text, tree))
        else:
            script = tmp_path / f"step_{number}.py"
            script.write_text(step.text, encoding="utf-8")
            printed.append(workshop.run(f"python {script}", tree))
    info, outputs, tests = printed
    assert re.search(r"elementwise_add +1", info)
    assert re.search(r"format +tinynet", info)
    # A line before it may say that kernels are compiled.
    assert outputs.endswith("[[3.0, 2.0, 10.0]]\n")
    assert "5 passed" in tests
    for command in ("ruff check", "ruff format --check"):
        workshop.run(f"python -m {command} {' '.join(OWN_FOLDERS)}", tree)
