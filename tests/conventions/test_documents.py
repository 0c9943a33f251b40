"""Commands, links and files that the documents name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite.tools import dev

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
NAMED_FILE = re.compile(r"`((?:bridges|kernels|lite|model_parser|tests|tools|docs)/[\w/.-]+\.\w+)`")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_of_dev_exist(root: Path, name: str) -> None:
    for command in re.findall(r"python3 tools/dev\.py (\w+)", (root / name).read_text(encoding="utf-8")):
        assert dev.parse([command])[0].command == command


def test_readme_starts_with_the_two_commands(root: Path) -> None:
    commands = re.findall(r"^python3 tools/dev\.py (\w+)", (root / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["demo", "test"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_to_files_and_headings(root: Path, name: str) -> None:
    document = root / name
    text = document.read_text(encoding="utf-8")
    broken = []
    for link in LINK.findall(CODE.sub("", text)):
        target, _, heading = link.partition("#")
        path = document if not target else document.parent / target
        if not path.exists() or (heading and heading not in headings(path)):
            broken.append(link)
    assert broken == []


def headings(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_files_exist(root: Path, name: str) -> None:
    named = NAMED_FILE.findall((root / name).read_text(encoding="utf-8"))
    assert [path for path in named if not (root / path).exists()] == []


def test_every_page_is_in_the_navigation_of_the_site(root: Path) -> None:
    navigation = re.findall(r"[\w/]+\.md", (root / "mkdocs.yml").read_text(encoding="utf-8"))
    pages = [name.removeprefix("docs/") for name in DOCUMENTS if name.startswith("docs/")]

    assert sorted(navigation) == sorted([*pages, "CHANGELOG.md", "CONTRIBUTING.md"])


def test_glossary_names_files_that_exist(root: Path) -> None:
    rows = re.findall(
        r"^\| ([^|]+) \|.*\| `([^`]+)` \|$", (root / "docs/glossary.md").read_text(), re.MULTILINE
    )
    assert [(term, path) for term, path in rows if not (root / path).exists()] == []
    assert len(rows) > 80


def test_every_page_of_measurements_has_a_commit(root: Path) -> None:
    folder = root / "docs" / "benchmarks"
    rows = re.findall(
        r"^\| \[\w+\]\((\w+\.md)\) \|.*\| [0-9a-f]{8}, \d+ \w+ \d{4} \|$",
        (folder / "index.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert sorted(rows) == sorted(path.name for path in folder.glob("*.md") if path.name != "index.md")
