"""The blocks of the README, of CONTRIBUTING.md and of the pages outside docs/guide run.

What cannot run in a test is checked in parts: programs that take hours, devices that are not here, the checks
of `tools/dev.py`.  `tests/conventions/test_guide.py` runs the guide.
"""

from __future__ import annotations

import configparser
import contextlib
import importlib
import importlib.util
import io
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import lite
from lite.ops.rules import same_as
from lite.ops.schema import op
from lite.tools import dev
from lite.tools.cli import main
from lite.tools.options.output import ANSWER_IS_NO
from tests.support.page_folder import page_folder
from tests.support.small_convnet import convnet
from tests.tools.tiny_model import call

ROOT = Path(__file__).parents[2]
RUN_BY = {
    "docs/bridge_authoring_guide.md": "tests/suite/test_bridge_authoring_guide.py",
    "docs/format_authoring.md": "tests/suite/test_format_authoring.py",
    "docs/composites.md": "tests/lite/plugin/pattern/test_page.py",
}
"""Pages whose blocks another test runs."""

PAGES = [
    page
    for page in sorted(
        str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.rglob("docs/**/*.md"))
    )
    if page not in RUN_BY and not page.startswith("docs/guide/")
]
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
NEEDS = {"openvino": "openvino", "coreml": "coremltools", "ethos_u": "ethosu", "qnn": "onnxruntime_qnn"}
"""Devices that a page names, and the packages without which they cannot run."""

X = np.random.default_rng(0).standard_normal((1, 3, 32, 32)).astype(np.float32)


def blocks(page: str, *languages: str) -> list[str]:
    """The blocks of a page in these languages, or of all languages."""
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [textwrap.dedent(text) for _, language, text in found if not languages or language in languages]


def lines_of(page: str) -> list[list[str]]:
    """The words of each command of a page."""
    text = "\n".join(blocks(page, "sh")).replace("\\\n", " ")
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def with_blocks(*languages: str) -> list[str]:
    return [page for page in PAGES if blocks(page, *languages)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with the models and samples that the pages name; all models take images `x`."""
    model = convnet()
    lite.save_program(model, tmp_path / "model_dir")
    lite.save_program(model, tmp_path / "model.onnx", format="onnx")
    (tmp_path / "samples").mkdir()
    np.savez(tmp_path / "samples" / "0.npz", x=X)
    np.savez(tmp_path / "samples.npz", x=X)
    np.save(tmp_path / "x.npy", X)
    with page_folder(tmp_path, monkeypatch) as current:
        yield current


def test_pages_that_are_run_elsewhere_have_their_tests() -> None:
    assert [
        page for page, test in RUN_BY.items() if page not in (ROOT / test).read_text(encoding="utf-8")
    ] == []


@pytest.mark.parametrize("page", with_blocks())
def test_every_block_is_closed_and_of_a_known_language(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(blocks(page))
    assert {language for _, language, _ in BLOCK.findall(text)} <= {"python", "sh", ""}


@pytest.mark.parametrize("page", [page for page in with_blocks("python") if page != "CONTRIBUTING.md"])
def test_python_blocks_run_in_order(page: str, folder: Path) -> None:
    text = "".join(blocks(page, "python"))
    missing = [name for name in re.findall(r'devices=\["(\w+)"\]', text) if not _is_here(name)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    names: dict[str, Any] = {"array": X, "image": X}
    for number, block in enumerate(blocks(page, "python")):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, f"{page}, block {number}", "exec"), names)


def test_the_kernel_and_the_schema_of_contributing_are_accepted(folder: Path) -> None:
    kernel, schema = blocks("CONTRIBUTING.md", "python")
    op("a_new_relu", "max(X, 0).", "X:float", "Out", same_as("X"), inplace={"Out": "X"})
    names: dict[str, Any] = {}
    # The names of the page are taken.
    exec(kernel.replace('@kernel("relu")', '@kernel("a_new_relu")'), names)
    exec(
        schema.replace('"hard_tanh"', '"a_new_tanh"'),
        vars(importlib.import_module("lite.ops.defs.activation")),
    )

    np.testing.assert_array_equal(names["relu"](np.array([-1, 2], np.float32)), [0, 2])


def test_the_tree_of_contributing_is_that_of_the_checkout() -> None:
    (tree,) = blocks("CONTRIBUTING.md", "")
    parent = ""
    for line in tree.splitlines():
        name = line.split()[0].partition("<")[0]
        parent = parent if line.startswith(" ") else name
        assert (ROOT / (parent + name if line.startswith(" ") else name)).exists(), line


@pytest.mark.parametrize("page", with_blocks("sh"))
def test_commands_run_or_their_options_exist(page: str, folder: Path) -> None:
    for words in lines_of(page):
        if words[0] == "litebridge":
            _check_litebridge(words[1:])
        elif words[0] == "pip":
            _check_installation(words)
        elif words[:2] == ["python3", "tools/dev.py"]:
            dev.parse(words[2:])
        else:
            _check_program(words)


def _is_here(device: str) -> bool:
    return importlib.util.find_spec(NEEDS[device]) is not None


def _check_litebridge(words: Sequence[str]) -> None:
    if {"MODEL", "IN", "|"} & set(words):
        # tests/suite/test_readme_commands.py runs it.
        return
    named = [name for name in NEEDS if any(word.startswith(name) for word in words)]
    if "int8_model" in words:
        call("quantize", "model_dir", "--data", "samples", "-o", "int8_model")
    if named and not _is_here(named[0]):
        command: click.Command = main
        for word in words:
            if not isinstance(command, click.Group):
                break
            command = command.commands[word]
        command.make_context(words[0], list(words[1:]))
        return
    result = call(*words)
    # An int8 model differs from the float model.
    assert result.exit_code in ((0, ANSWER_IS_NO) if words[0] == "compare" else (0,)), result.output


def _check_installation(words: Sequence[str]) -> None:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    extras = re.findall(r"\[([\w,-]+)\]", " ".join(words))
    assert words[1] == "install"
    assert set(",".join(extras).split(",")) - {""} <= set(settings["options.extras_require"])


def _check_program(words: Sequence[str]) -> None:
    """A check that `tools/dev.py` runs, or a program of this tree, whose options are parsed."""
    steps = dev.all_steps(Path("venv"), fast=False, rest=())
    run = {part.rpartition("/")[2] for step in steps for part in step.command}
    name = words[2] if words[:2] == ["python", "-m"] else words[0]
    if name in run:
        return
    spec = importlib.util.find_spec(f"{name}.__main__" if _is_package(name) else name)
    assert spec is not None, name
    program = importlib.import_module(spec.name).main
    assert isinstance(program, click.Command)
    program.make_context(name, list(words[3:]))


def _is_package(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.submodule_search_locations is not None
