"""Files and messages of `litebridge visualize`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.tiny_model import call, call_json


@pytest.fixture(autouse=True)
def without_graphviz(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pictures wherever the tests run."""
    monkeypatch.setenv("PATH", str(workplace))


def labels(dot: str) -> list[str]:
    """The first words of all labels."""
    return re.findall(r'label="?(\w+)', dot)


def test_the_model_as_loaded() -> None:
    result = call("visualize", "model_dir", "-o", "new/pictures")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "wrote new/pictures/00_start.dot\nwrote new/pictures/00_start.svg\n"
    text = Path("new/pictures/00_start.dot").read_text()
    assert [op in labels(text) for op in ("mul", "elementwise_add", "relu", "fc")] == [
        True,
        True,
        True,
        False,
    ]


def test_after_passes_and_optimised() -> None:
    options = ("--after", "canonicalize_pass", "--after", "lite_fc_fuse_pass", "--optimized")
    written = call_json("visualize", "model_dir", "-o", "pictures", *options)["written"]
    assert written == [
        f"pictures/{name}.{suffix}"
        for name in ("00_start", "01_canonicalize_pass", "02_fc_fuse_pass", "03_generate_program_pass")
        for suffix in ("dot", "svg")
    ]
    dots = written[::2]
    assert ["mul" in labels(Path(path).read_text()) for path in dots] == [True, True, False, False]


def test_only_new_pictures_are_told() -> None:
    Path("pictures").mkdir()
    Path("pictures/07_old.dot").write_text("")
    written = call_json("visualize", "model_dir", "-o", "pictures")["written"]
    assert written == ["pictures/00_start.dot", "pictures/00_start.svg"]


def test_what_pictures_show() -> None:
    def drawn(*options: str) -> str:
        call_json("visualize", "model_dir", "-o", "pictures", *options)
        return re.sub(r'tooltip="[^"]*"', "", Path("pictures/00_start.dot").read_text())

    shown = [
        [word in text for word in ("float32[?,3]", "axis=1", "x*", "relu")]
        for text in (
            drawn(),
            drawn("--types"),
            drawn("--no-attributes"),
            drawn("--fold", "prefix:x", "--fold", "prefix:s"),
        )
    ]
    assert shown == [
        [False, True, False, True],
        [True, True, False, True],
        [False, False, False, True],
        [False, False, True, True],
    ]


def test_fold_that_fits_nothing_is_a_warning() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--fold", "block1")
    assert result.exit_code == 0
    assert result.stderr == "litebridge: warning: 00_start.dot: fold: nothing in the graph fits 'block1'\n"


def test_only_graphviz_is_wanted() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--renderer", "dot")
    assert (result.exit_code, result.stdout) == (0, "wrote pictures/00_start.dot\n")
    assert result.stderr.endswith("00_start.dot is not drawn: Graphviz's program dot is not installed\n")


def test_an_unknown_renderer() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--renderer", "neato")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'neato' is not one of 'auto', 'dot', 'embedded'" in result.stderr


def test_a_pass_that_is_not_in_the_list() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--after", "fc_fus_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no pass 'fc_fus_pass' is in the list; did you mean 'fc_fuse_pass'" in result.stderr
