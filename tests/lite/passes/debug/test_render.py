"""Who draws, and what is said where nobody does."""

from __future__ import annotations

import os
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lite.passes.debug.dot import dot_text
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.render import Renderer, render
from lite.passes.debug.svg import svg_text
from tests.lite.passes.debug.nested_graph import nested_graph

PICTURE = picture_of(nested_graph())
OURS = svg_text(PICTURE)
THEIRS = "<svg/>"


@pytest.fixture
def dot_file(tmp_path: Path) -> Path:
    path = tmp_path / "00_start.dot"
    path.write_text(dot_text(PICTURE), encoding="utf-8")
    return path


def drawn(dot_file: Path, renderer: Renderer, limit: int = 3000) -> str | None:
    render(PICTURE, dot_file, renderer, limit, legend=True)
    svg = dot_file.with_suffix(".svg")
    return svg.read_text(encoding="utf-8") if svg.exists() else None


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program called dot, the only one there is."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_without_graphviz_ours_draws(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert drawn(dot_file, "auto") == OURS
    assert caplog.messages == []


def test_graphviz_draws_where_it_is(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, monkeypatch, f'[ "$1 $2 $3" = "-Tsvg {dot_file} -o" ] && echo "{THEIRS}" > "$4"')
    assert drawn(dot_file, "auto") == drawn(dot_file, "dot") == THEIRS + "\n"
    assert drawn(dot_file, "embedded") == OURS
    assert caplog.messages == []


def test_ours_stands_in_for_graphviz_that_fails(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, monkeypatch, "exit 3")
    assert drawn(dot_file, "dot") is None
    assert drawn(dot_file, "auto") == OURS
    assert [message.partition(": ")[0] for message in caplog.messages] == [
        f"Graphviz did not draw {dot_file}"
    ] * 2
    assert "exit status 3" in caplog.text


def test_only_graphviz_is_wanted_and_missing(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert drawn(dot_file, "dot") is None
    assert caplog.messages == [f"{dot_file} is not drawn: Graphviz's program dot is not installed"]


def test_a_large_picture_is_not_drawn(dot_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    boxes = len(PICTURE.boxes)
    assert drawn(dot_file, "auto", limit=boxes - 1) is None
    assert caplog.messages == [f"{dot_file} is not drawn: {boxes} boxes are more than limit={boxes - 1}"]
    assert drawn(dot_file, "embedded", limit=boxes) == OURS


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_same_boxes(dot_file: Path) -> None:
    # Graphviz writes its font cache there.
    environment = {**os.environ, "XDG_CACHE_HOME": str(dot_file.parent)}
    command = ["dot", "-Tsvg", str(dot_file)]
    svg = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    titles = {element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")}
    assert titles >= {*PICTURE.boxes, *PICTURE.frames, "cluster_legend"}
