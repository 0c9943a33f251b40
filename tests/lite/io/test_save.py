"""Cleaned-up graphs, and writers of other formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.io.save import clean_graph, export_program, find_writer
from lite.ir.program import Program
from lite.ir.types import DType
from tests.support.small_programs import make_program


def program() -> Program:
    """Two old spellings, and a dropout without effect."""
    return make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {},
        [
            ("dropout", {"X": ["x"]}, {"Out": ["a"]}, {"dropout_implementation": "upscale_in_train"}),
            ("reshape", {"X": ["a"]}, {"Out": ["b"]}, {"shape": [-1, 2]}),
            ("relu", {"X": ["b"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )


def test_a_clean_graph_has_canonical_ops_and_no_ops_without_effect() -> None:
    assert [node.op for node in clean_graph(program())] == ["reshape2", "relu"]


def test_input_shapes_replace_the_shapes_of_inputs() -> None:
    graph = clean_graph(program(), {"x": ("n", 4)})

    assert graph.args[0].shape == ("n", 4)


def test_after_pass_is_called_for_each_pass() -> None:
    calls: list[int] = []
    clean_graph(program(), after_pass=lambda: calls.append(1))

    assert len(calls) > 5


def test_a_format_without_a_writer_is_refused(tmp_path: Path) -> None:
    assert find_writer("paddle") is None
    with pytest.raises(ConfigError, match="no writer exports a program to 'onx'; did you mean 'onnx'"):
        export_program(program(), tmp_path, format="onx")
