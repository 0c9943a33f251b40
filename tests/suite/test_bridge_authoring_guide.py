"""The blocks of docs/bridge_authoring_guide.md, run in order."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.virtual_environment import Workshop

GUIDE = "docs/bridge_authoring_guide.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# file: (\S+)\n")
NOT_RUN = ("yaml", "text")


@dataclass(frozen=True)
class Step:
    """A block of the guide: its language, its text, and the file to write it to, None to run it."""

    language: str
    text: str
    file: str | None


def steps(root: Path) -> Iterator[Step]:
    for language, text in BLOCK.findall((root / GUIDE).read_text(encoding="utf-8")):
        named = FILE.match(text)
        yield Step(language, text if named is None else text[named.end() :], named and named.group(1))


def test_every_block_is_run_or_is_an_example(root: Path) -> None:
    languages = [step.language for step in steps(root)]
    assert set(languages) == {"sh", "python", *NOT_RUN}
    assert languages.count("sh") >= 15
    assert (root / GUIDE).read_text(encoding="utf-8").count("```") == 2 * len(languages)


def test_every_file_that_the_guide_names_exists(root: Path) -> None:
    text = (root / GUIDE).read_text(encoding="utf-8")
    named = re.findall(r"`((?:bridges|lite|tests|docs)/[\w/]+\.(?:py|md))`", text)
    assert len(named) >= 5
    assert [name for name in named if not (root / name).exists()] == []
    assert [
        name for name in re.findall(r"\]\((\w+\.md)\)", text) if not (root / "docs" / name).exists()
    ] == []


def test_a_quantised_device_of_five_ops_takes_200_lines(root: Path) -> None:
    (text,) = (step.text for step in steps(root) if step.file == "my_npu/litebridge_my_npu/integers.py")
    module = ast.parse(text)
    bridged = {
        node.args[1].value
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bridge"
        if isinstance(node.args[1], ast.Constant)
    }
    assert bridged == {"conv2d", "elementwise_add", "matmul_v2", "reduce_mean", "relu"}
    assert {"takes_quantized", "FLOAT16", "INT8"} <= {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute | ast.Name)
    }
    assert len(text.splitlines()) <= 200


@pytest.mark.slow
def test_all_blocks_run_in_order(root: Path, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "venv", root)
    folder = tmp_path / "folder"
    folder.mkdir()
    printed: list[str] = []
    for number, step in enumerate(steps(root)):
        if step.file is not None:
            (folder / step.file).write_text(step.text, encoding="utf-8")
        elif step.language == "sh":
            printed.append(workshop.run(step.text.replace("pip ", "python -m pip "), folder))
        elif step.language == "python":
            script = tmp_path / f"step_{number}.py"
            script.write_text(step.text, encoding="utf-8")
            printed.append(workshop.run(f"python {script}", folder))
    output = "".join(printed)
    assert "my_npu conforms: score 100 %" in output
    assert "leaky_relu  my_npu       my_npu has no bridge for leaky_relu" in output
    assert "my_c conforms: score 100 %" in output
    assert "my_int8 conforms: score 100 %" in output
    assert "my_npu does not conform" in output
    assert "the first op whose output differs is tanh 'y' in region 0" in output
    assert "a model of tanh alone" in output
    assert "no region differs from the host" in output
    assert "a partition rule puts it on the host" in output
    for name in ("conformance.json", "conformance.html", "report.html", "submission/environment.txt"):
        assert (folder / name).stat().st_size > 0
    pictures = {path.suffix for path in (folder / "pictures").iterdir()}
    assert ".dot" in pictures
    assert (".svg" in pictures) == (shutil.which("dot") is not None)
