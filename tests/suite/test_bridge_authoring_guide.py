"""The guide's steps, run one after the other as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools.workshop import Workshop

GUIDE = "docs/bridge_authoring_guide.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# file: (\S+)\n")
NOT_RUN = ("yaml", "text")


@dataclass(frozen=True)
class Step:
    """A block of the guide: its language, its text and, for Python, the file it goes to."""

    language: str
    text: str
    file: str | None


def steps(root: Path) -> Iterator[Step]:
    for language, text in BLOCK.findall((root / GUIDE).read_text(encoding="utf-8")):
        named = FILE.match(text)
        yield Step(language, text if named is None else text[named.end() :], named and named.group(1))


def test_every_block_is_one_that_is_run(root: Path) -> None:
    languages = [step.language for step in steps(root)]
    assert set(languages) == {"sh", "python", *NOT_RUN}
    assert languages.count("sh") >= 15
    assert (root / GUIDE).read_text(encoding="utf-8").count("```") == 2 * len(languages)


def test_what_the_guide_points_at_is_there(root: Path) -> None:
    text = (root / GUIDE).read_text(encoding="utf-8")
    named = re.findall(r"`((?:bridges|lite|tests|docs)/[\w/]+\.(?:py|md))`", text)
    assert len(named) >= 5
    assert [name for name in named if not (root / name).exists()] == []
    assert [
        name for name in re.findall(r"\]\((\w+\.md)\)", text) if not (root / "docs" / name).exists()
    ] == []


@pytest.mark.slow
def test_the_steps_work(root: Path, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "venv", root)
    place = tmp_path / "place"
    place.mkdir()
    printed: list[str] = []
    for number, step in enumerate(steps(root)):
        if step.file is not None:
            (place / step.file).write_text(step.text, encoding="utf-8")
        elif step.language == "sh":
            printed.append(workshop.run(step.text.replace("pip ", "python -m pip "), place))
        elif step.language == "python":
            script = tmp_path / f"step_{number}.py"
            script.write_text(step.text, encoding="utf-8")
            printed.append(workshop.run(f"python {script}", place))
    said = "".join(printed)
    assert "my_npu conforms: score 100 %" in said
    assert "leaky_relu  my_npu       my_npu has no bridge for leaky_relu" in said
    assert "my_npu does not conform" in said
    assert "the first op whose output differs is tanh 'y' in region 0" in said
    assert "a model of tanh alone" in said
    assert "no region differs from the host" in said
    assert "a partition rule puts it on the host" in said
    for name in ("conformance.json", "conformance.html", "report.html", "hand_in/environment.txt"):
        assert (place / name).stat().st_size > 0
    assert list((place / "pictures").glob("*.svg"))
