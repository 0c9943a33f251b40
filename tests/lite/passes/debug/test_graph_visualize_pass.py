"""Pictures of the graph."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from lite.ir.program import Program
from lite.ir.text import parse_graph, print_graph
from lite.passes.base import PassContext
from lite.passes.debug.dot import dot_text
from lite.passes.manager import PassManager

PASS = "graph_visualize_pass"

TEXT = """graph main(%x: float32[?,2]) {
  %w = const float32[2] [1.0, 2.0]
  %x#1 = elementwise_add(X=%x, Y=%w) {axis=-1} : float32[?,2]
  %x#2 = identity(X=%x#1)
  return %x#2
}
"""


def test_dot() -> None:
    assert dot_text(parse_graph(TEXT)) == (
        "digraph G {\n"
        '\tvalue1 [label="x\\nfloat32[?,2]"]\n'
        '\tvalue2 [label="w\\nfloat32[2]" fillcolor=lightgrey style=filled]\n'
        '\tvalue3 [label="x#1\\nfloat32[?,2]"]\n'
        '\top4 [label="elementwise_add\\naxis=-1" fillcolor=yellow shape=box style=filled]\n'
        "\tvalue1 -> op4 [label=X]\n"
        "\tvalue2 -> op4 [label=Y]\n"
        "\top4 -> value3 [label=Out]\n"
        '\tvalue5 [label="x#2\\n?[*]"]\n'
        "\top6 [label=identity fillcolor=yellow shape=box style=filled]\n"
        "\tvalue3 -> op6 [label=X]\n"
        "\top6 -> value5 [label=Out]\n"
        "}\n"
    )


def test_dot_of_nested_graphs() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0} @host/any/any
            graph block1(%x: float32[1]) {
              %z = relu(X=%x)
              return y=%z
            }
          return %y
        }
        """
    )
    [node] = graph
    [block] = node.blocks
    [inner] = block
    argument, result = block.args[0].id, inner.output().id

    lines = dot_text(graph).splitlines()

    start = lines.index(f"\tsubgraph cluster_{node.id}_0 {{")
    end = lines.index("\t}")
    assert lines[start + 1].startswith("\t\tcolor=")
    assert 'label="conditional_block: block1"' in lines[start + 1]
    assert lines[start + 2 : end] == [
        f'\t\tvalue{argument} [label="x\\nfloat32[1]"]',
        f'\t\tvalue{result} [label="z\\n?[*]"]',
        f"\t\top{inner.id} [label=relu fillcolor=yellow shape=box style=filled]",
        f"\t\tvalue{argument} -> op{inner.id} [label=X]",
        f"\t\top{inner.id} -> value{result} [label=Out]",
    ]
    assert lines[end + 1 :] == [
        f"\tvalue{graph.args[1].id} -> value{argument} [style=dashed]",
        f"\tvalue{result} -> value{node.output().id} [style=dashed]",
        "}",
    ]
    assert f'\top{node.id} [label="conditional_block\\n@host/any/any\\ncarried=0"' in dot_text(graph)


def test_labels_are_cut_and_stand_for_themselves() -> None:
    graph = parse_graph(
        'graph main(%x: float32[1]) { %y = op(X=%x) {a="\\\\n\\"<b>", b=[' + "1, " * 30 + "1]} return %y }"
    )

    line = next(line for line in dot_text(graph).splitlines() if "yellow" in line)
    assert line.partition(" fillcolor")[0].partition("label=")[2] == (
        "\"op\\na='\\\\\\\\n\\\"<b>'\\nb=[" + ("1, " * 30)[:59] + '…"'
    )


def run(specs: Sequence[str], ctx: PassContext) -> None:
    graph = parse_graph(TEXT)
    records = PassManager(specs).run(graph, ctx)
    if set(specs) == {PASS}:
        assert print_graph(graph) == TEXT
    assert not any(record.changed for record in records if record.name == PASS)


def test_every_occurrence_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    folder = tmp_path / "a" / "b"

    run([PASS, "canonicalize_pass", PASS, f"{PASS}{{svg=false}}"], PassContext(Program(), dot_dir=folder))

    assert sorted(path.name for path in folder.iterdir()) == [
        "00_start.dot",
        "01_canonicalize_pass.dot",
        "02_canonicalize_pass.dot",
    ]
    assert (folder / "00_start.dot").read_text(encoding="utf-8") == dot_text(parse_graph(TEXT))


def test_without_a_folder_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    run([PASS, PASS, PASS], PassContext(Program()))

    assert [record.getMessage() for record in caplog.records] == [
        "graph_visualize_pass draws nothing: set dot_dir, as in Config(…, dot_dir='pictures')"
    ]


def test_pictures_are_drawn_where_dot_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def fake_run(command: list[str], **_: object) -> None:
        commands.append(command)

    monkeypatch.setattr(shutil, "which", lambda _: "/bin/dot")
    monkeypatch.setattr(subprocess, "run", fake_run)

    run([PASS, f"{PASS}{{svg=false}}"], PassContext(Program(), dot_dir=tmp_path))

    start = tmp_path / "00_start"
    assert commands == [["/bin/dot", "-Tsvg", f"{start}.dot", "-o", f"{start}.svg"]]


def test_a_picture_that_fails_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: str(tmp_path / "missing"))

    run([PASS], PassContext(Program(), dot_dir=tmp_path))

    [record] = caplog.records
    assert record.getMessage().startswith(f"{tmp_path / '00_start.dot'} is not drawn: ")
