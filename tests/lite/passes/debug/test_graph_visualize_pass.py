"""The pass that draws."""

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
from lite.passes.debug.graph_picture import Wanted, picture_of
from lite.passes.debug.svg import svg_text
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


def test_every_occurrence_writes_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"

    run([PASS, "canonicalize_pass", PASS, f"{PASS}{{svg=false}}"], folder)

    assert sorted(path.name for path in folder.iterdir()) == [
        "00_start.dot",
        "00_start.svg",
        "01_canonicalize_pass.dot",
        "01_canonicalize_pass.svg",
        "02_canonicalize_pass.dot",
    ]
    picture = picture_of(parse_graph(TEXT))
    assert (folder / "00_start.dot").read_text(encoding="utf-8") == dot_text(picture)
    assert (folder / "00_start.svg").read_text(encoding="utf-8") == svg_text(picture)


def test_options(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    options = 'types=true, attributes=false, legend=false, fold=["block1", "prefix:x"], renderer=embedded'

    run([f"{PASS}{{{options}}}"], tmp_path)

    wanted = Wanted(types=True, attributes=False, folding=Folding(["block1", "prefix:x"]))
    picture = picture_of(parse_graph(TEXT), wanted)
    assert (tmp_path / "00_start.dot").read_text(encoding="utf-8") == dot_text(picture, legend=False)
    assert (tmp_path / "00_start.svg").read_text(encoding="utf-8") == svg_text(picture, legend=False)
    assert caplog.messages == []


def test_the_limit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run([f"{PASS}{{limit=3}}"], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["00_start.dot"]
    [message] = caplog.messages
    assert message.endswith("00_start.dot is not drawn: 22 boxes are more than limit=3")


def test_what_fold_does_not_find_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run([f'{PASS}{{svg=false, fold=[block1, loop, "prefix:q", "prefix:none"]}}'], tmp_path)
    assert caplog.messages == [
        "00_start.dot: fold: nothing in the graph fits 'loop'",
        "00_start.dot: fold: nothing in the graph fits 'prefix:none'",
    ]


def test_an_unknown_renderer() -> None:
    with pytest.raises(ConfigError, match=r"option renderer: expected one of auto, dot, embedded, got neato"):
        PassManager([f"{PASS}{{renderer=neato}}"])


def test_without_a_folder_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    run([PASS, PASS, PASS], None)
    assert caplog.messages == [
        "graph_visualize_pass draws nothing: set dot_dir, as in Config(…, dot_dir='pictures')"
    ]
