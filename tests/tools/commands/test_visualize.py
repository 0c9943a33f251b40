"""Files and messages of `litebridge visualize`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from lite.passes.debug.render import NOT_INSTALLED
from tests.tools.tiny_model import call, call_json


@pytest.fixture(autouse=True)
def dot_program(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only program: one that writes ``<svg/>`` in place of Graphviz's."""
    program = workplace / "bin" / "dot"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "<svg/>" > "$4"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def stages(page: Path) -> list[str]:
    """The stages in a page."""
    match = re.search(r'type="application/json">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    return [stage["name"] for stage in json.loads(match[1])["stages"]]


def labels(dot: str) -> list[str]:
    """The first word of each label."""
    return re.findall(r'label="?(\w+)', dot)


def test_default_is_the_model_as_loaded_and_a_page() -> None:
    result = call("visualize", "model_dir", "-o", "new/pictures")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "wrote new/pictures/00_start.dot\nwrote new/pictures/00_start.svg\nwrote new/pictures/graph.html\n"
    )
    assert stages(Path("new/pictures/graph.html")) == [
        "as loaded",
        "after fc_fuse_pass",
        "after static_kernel_pick_pass",
        "after variable_place_inference_pass",
        "after all passes",
    ]
    text = Path("new/pictures/00_start.dot").read_text()
    assert [op in labels(text) for op in ("mul", "elementwise_add", "relu", "fc")] == [
        True,
        True,
        True,
        False,
    ]


def test_html_writes_the_page_alone() -> None:
    result = call("visualize", "model_dir", "--html", "new/page.html")
    assert (result.exit_code, result.stdout) == (0, "wrote new/page.html\n")
    assert stages(Path("new/page.html"))[0] == "as loaded"
    assert call("visualize", "model_dir", "-o", "both", "--html", "page.html").stdout == (
        "wrote both/00_start.dot\nwrote both/00_start.svg\nwrote page.html\n"
    )
    assert "Missing option '--html' FILE" in call("visualize", "model_dir").stderr


def test_options_add_stages() -> None:
    options = ("--after", "canonicalize_pass", "--after", "lite_fc_fuse_pass", "--optimized")
    written = call_json("visualize", "model_dir", "-o", "pictures", *options)["written"]
    assert written == [
        f"pictures/{name}.{suffix}"
        for name in ("00_start", "01_canonicalize_pass", "02_fc_fuse_pass", "03_generate_program_pass")
        for suffix in ("dot", "svg")
    ] + ["pictures/graph.html"]
    dots = written[:-1:2]
    assert stages(Path("pictures/graph.html")) == [
        "as loaded",
        "after canonicalize_pass",
        "after fc_fuse_pass",
        "after static_kernel_pick_pass",
        "after variable_place_inference_pass",
        "after all passes",
    ]
    assert ["mul" in labels(Path(path).read_text()) for path in dots] == [True, True, False, False]


def test_output_lists_only_new_files() -> None:
    Path("pictures").mkdir()
    Path("pictures/07_old.dot").write_text("")
    written = call_json("visualize", "model_dir", "-o", "pictures")["written"]
    assert written == ["pictures/00_start.dot", "pictures/00_start.svg", "pictures/graph.html"]


def test_options_change_the_pictures() -> None:
    def picture(*options: str) -> str:
        call_json("visualize", "model_dir", "-o", "pictures", *options)
        return re.sub(r'tooltip="[^"]*"', "", Path("pictures/00_start.dot").read_text())

    contents = [
        [word in text for word in ("float32[?,3]", "axis=1", "x*", "relu")]
        for text in (
            picture(),
            picture("--types"),
            picture("--no-attributes"),
            picture("--fold", "prefix:x", "--fold", "prefix:s"),
        )
    ]
    assert contents == [
        [False, True, False, True],
        [True, True, False, True],
        [False, False, False, True],
        [False, False, True, True],
    ]


def test_fold_pattern_without_match_is_a_warning() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--fold", "block1")
    assert result.exit_code == 0
    assert result.stderr == "litebridge: warning: 00_start.dot: fold: nothing in the graph matches 'block1'\n"


@pytest.mark.parametrize(
    ("renderer", "message"),
    [
        ("auto", f"litebridge: info: {NOT_INSTALLED}\n"),
        ("dot", f"litebridge: warning: {NOT_INSTALLED}\n"),
        ("none", ""),
    ],
)
def test_without_graphviz_a_sentence_says_how_to_get_svg(
    dot_program: Path, renderer: str, message: str
) -> None:
    dot_program.unlink()
    result = call("visualize", "model_dir", "-o", "pictures", "--optimized", "--renderer", renderer)
    assert (result.exit_code, result.stderr) == (0, message)
    assert result.stdout == "".join(
        f"wrote pictures/{name}\n" for name in ("00_start.dot", "01_generate_program_pass.dot", "graph.html")
    )


def test_without_the_extra_only_the_page_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    result = call("visualize", "model_dir", "-o", "pictures", "--after", "fc_fuse_pass")
    assert (result.exit_code, result.stdout) == (0, "wrote pictures/graph.html\n")
    assert result.stderr == (
        "litebridge: info: only the page is written: writing pictures of graphs needs the package graphviz; "
        "run: pip install 'litebridge[dot]'\n"
    )


def test_renderer_none_writes_no_svg() -> None:
    written = call_json("visualize", "model_dir", "-o", "pictures", "--renderer", "none")["written"]
    assert written == ["pictures/00_start.dot", "pictures/graph.html"]


def test_unknown_renderer_is_an_error() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--renderer", "neato")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'neato' is not one of 'auto', 'dot', 'none'" in result.stderr


def test_pass_outside_the_list_is_an_error() -> None:
    result = call("visualize", "model_dir", "-o", "pictures", "--after", "fc_fus_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no pass 'fc_fus_pass' is in the list; did you mean 'fc_fuse_pass'" in result.stderr
