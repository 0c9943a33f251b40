"""Files and messages of the pass that writes pictures."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.ir.text import parse_graph, print_graph
from lite.passes.base import PassContext
from lite.passes.debug.dot import dot_text
from lite.passes.debug.folding import Folding
from lite.passes.debug.graph_picture import PictureOptions, picture_of
from lite.passes.debug.parts import parts_of
from lite.passes.debug.render import NOT_INSTALLED
from lite.passes.manager import PassManager
from tests.lite.passes.debug.nested_graph import TEXT

PASS = "graph_visualize_pass"


def run(specs: Sequence[str], folder: Path | None) -> None:
    graph = parse_graph(TEXT)
    records = PassManager(specs).run(graph, PassContext(dot_dir=folder))
    if all(spec.startswith(PASS) for spec in specs):
        assert print_graph(graph) == TEXT
    assert not any(record.changed for record in records if record.name == PASS)


@pytest.fixture(autouse=True)
def without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)


@pytest.fixture
def dot_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that writes ``<svg/>`` in place of Graphviz's."""
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\necho "<svg/>" > "$4"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_place_in_the_list_writes_files(tmp_path: Path, dot_program: None) -> None:
    folder = tmp_path / "a" / "b"

    run([PASS, "canonicalize_pass", PASS, f"{PASS}{{svg=false}}"], folder)

    assert files(folder) == [
        "00_start.dot",
        "00_start.svg",
        "01_canonicalize_pass.dot",
        "01_canonicalize_pass.svg",
        "02_canonicalize_pass.dot",
    ]
    assert (folder / "00_start.dot").read_text(encoding="utf-8") == dot_text(picture_of(parse_graph(TEXT)))
    assert (folder / "00_start.svg").read_text(encoding="utf-8") == "<svg/>\n"


@pytest.mark.parametrize(("renderer", "level"), [("auto", "INFO"), ("dot", "WARNING")])
def test_missing_graphviz_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, renderer: str, level: str
) -> None:
    caplog.set_level("INFO", "lite.passes.debug")

    run([f"{PASS}{{renderer={renderer}}}"] * 2, tmp_path)

    assert files(tmp_path) == ["00_start.dot", "01_start.dot"]
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [(level, NOT_INSTALLED)]


def test_options_reach_the_picture(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run([f'{PASS}{{types=true, attributes=false, legend=false, fold=["block1", "prefix:x"]}}'], tmp_path)

    options = PictureOptions(types=True, attributes=False, folding=Folding(["block1", "prefix:x"]))
    picture = picture_of(parse_graph(TEXT), options)
    assert (tmp_path / "00_start.dot").read_text(encoding="utf-8") == dot_text(picture, legend=False)
    assert caplog.messages == []


def test_graph_above_the_limit_is_drawn_in_parts(
    tmp_path: Path, dot_program: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "lite.passes.debug")
    folder = tmp_path / "pictures"
    picture = picture_of(parse_graph(TEXT))
    parts = parts_of(picture, 12)

    run([f"{PASS}{{limit=12}}", f"{PASS}{{limit=22}}"], folder)

    names = [f"00_start_{n}of{len(parts)}" for n in range(1, len(parts) + 1)]
    stems = ["00_start", *names, "01_start"]
    assert files(folder) == sorted(
        [f"{stem}.dot" for stem in stems] + [f"{stem}.svg" for stem in stems if stem != "00_start"]
    )
    texts = [(folder / f"{stem}.dot").read_text(encoding="utf-8") for stem in stems]
    assert texts == [dot_text(each) for each in (picture, *parts, picture)]
    assert caplog.messages == [
        f"{folder / '00_start.dot'} has 22 boxes, more than limit=12: it is drawn in {len(parts)} parts"
    ]


def test_fold_pattern_without_match_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run([f'{PASS}{{svg=false, fold=[block1, loop, "prefix:q", "prefix:none"]}}'], tmp_path)
    assert caplog.messages == [
        "00_start.dot: fold: nothing in the graph matches 'loop'",
        "00_start.dot: fold: nothing in the graph matches 'prefix:none'",
    ]


def test_unknown_renderer_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"option renderer: expected one of auto, dot, got neato"):
        PassManager([f"{PASS}{{renderer=neato}}"])


def test_missing_folder_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    run([PASS, PASS, PASS], None)
    assert caplog.messages == [
        "graph_visualize_pass draws nothing: set dot_dir, as in Config(…, dot_dir='pictures')"
    ]
