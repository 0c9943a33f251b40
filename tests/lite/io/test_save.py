"""Clean graphs, and what writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.io.save import clean_graph, export_program, find_writer
from lite.ir.program import Program
from lite.ir.types import DType
from tests.lite.small_models import make_program


def program() -> Program:
    """Two old spellings, and a dropout that does nothing."""
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


def test_one_spelling_and_nothing_that_does_nothing() -> None:
    assert [node.op for node in clean_graph(program())] == ["reshape2", "relu"]


def test_shapes_of_inputs_are_taken_over() -> None:
    graph = clean_graph(program(), {"x": ("n", 4)})

    assert graph.args[0].shape == ("n", 4)


def test_passes_are_counted() -> None:
    ran: list[int] = []
    clean_graph(program(), after_pass=lambda: ran.append(1))

    assert len(ran) > 5


def test_formats_without_a_writer(tmp_path: Path) -> None:
    assert find_writer("paddle") is None
    with pytest.raises(ConfigError, match="no writer exports a program to 'onx'; did you mean 'onnx'"):
        export_program(program(), tmp_path, format="onx")
