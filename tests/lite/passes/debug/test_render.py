"""SVG files by Graphviz."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lite.passes.debug.dot import dot_text
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.picture import Arrow, Box, BoxKind, Picture
from lite.passes.debug.render import render
from tests.lite.passes.debug.nested_graph import nested_graph

PICTURE = picture_of(nested_graph())


@pytest.fixture
def dot_file(tmp_path: Path) -> Path:
    path = tmp_path / "00_start.dot"
    path.write_text(dot_text(PICTURE), encoding="utf-8")
    return path


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Make a shell script the only program called dot."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_without_graphviz_nothing_is_written(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert not render(dot_file)
    assert not dot_file.with_suffix(".svg").exists()


def test_graphviz_writes_the_file(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, monkeypatch, f'[ "$1 $2 $3" = "-Tsvg {dot_file} -o" ] && echo "<svg/>" > "$4"')
    assert render(dot_file)
    assert dot_file.with_suffix(".svg").read_text(encoding="utf-8") == "<svg/>\n"
    assert caplog.messages == []


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's program dot is not installed")
@pytest.mark.parametrize(("length", "note"), [(20, False), (400, True)])
def test_a_long_drawing_is_scaled_with_a_note(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, length: int, note: bool
) -> None:
    """A chain of boxes is at most 200 inches high; a short one keeps its size."""
    caplog.set_level("INFO", "lite.passes.debug")
    picture = Picture({f"b{n}": Box(f"b{n}", BoxKind.OP, (f"b{n}",), "") for n in range(length)})
    picture.arrows = [Arrow(f"b{n}", f"b{n + 1}") for n in range(length - 1)]
    path = tmp_path / "long.dot"
    path.write_text(dot_text(picture, legend=False), encoding="utf-8")
    assert render(path)
    svg = path.with_suffix(".svg")
    height = float(ET.parse(svg).getroot().attrib["height"].removesuffix("pt"))
    if note:
        assert height == pytest.approx(200 * 72, abs=2)
        (message,) = caplog.messages
        assert re.fullmatch(rf"{svg} is drawn at \d+ % of its size, .* above 200 inches, .*", message)
    else:
        assert height < 200 * 72
        assert caplog.messages == []


def test_failure_of_graphviz_is_a_warning_and_leaves_no_file(
    dot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, monkeypatch, 'echo "<sv" > "$4"; exit 3')
    assert render(dot_file)
    assert not dot_file.with_suffix(".svg").exists()
    [message] = caplog.messages
    assert message.startswith(f"Graphviz did not draw {dot_file}: ")
    assert "exit status 3" in message


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_same_boxes(dot_file: Path) -> None:
    # Graphviz writes its font cache there.
    environment = {**os.environ, "XDG_CACHE_HOME": str(dot_file.parent)}
    command = ["dot", "-Tsvg", str(dot_file)]
    svg = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    titles = {element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")}
    assert titles >= {*PICTURE.boxes, *PICTURE.frames, "cluster_legend"}
