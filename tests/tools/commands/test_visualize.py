"""litebridge visualize."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.tiny_model import call, call_json


@pytest.fixture(autouse=True)
def without_graphviz(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DOT files only, wherever the tests run."""
    monkeypatch.setenv("PATH", str(workplace))


def labels(dot: str) -> list[str]:
    """The first words of all labels."""
    return re.findall(r'label="?(\w+)', dot)


def test_the_model_as_loaded() -> None:
    result = call("visualize", "model_dir", "-o", "new/pictures")
    assert (result.exit_code, result.stdout) == (0, "wrote new/pictures/00_start.dot\n")
    assert result.stderr == "only .dot files: Graphviz's program `dot`, which draws them, is not installed\n"
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
        "pictures/00_start.dot",
        "pictures/01_canonicalize_pass.dot",
        "pictures/02_fc_fuse_pass.dot",
        "pictures/03_generate_program_pass.dot",
    ]
    assert ["mul" in labels(Path(path).read_text()) for path in written] == [True, True, False, False]


def test_only_new_pictures_are_told() -> None:
    Path("pictures").mkdir()
    Path("pictures/07_old.dot").write_text("")
    assert call_json("visualize", "model_dir", "-o", "pictures")["written"] == ["pictures/00_start.dot"]


def test_a_pass_that_is_not_in_the_list() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--after", "fc_fus_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no pass 'fc_fus_pass' is in the list; did you mean 'fc_fuse_pass'" in result.stderr
