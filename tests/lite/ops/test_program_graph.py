"""From a program to a graph with inferred types."""

import pytest

from lite.errors import ConfigError
from lite.ir.types import UNKNOWN, Shape
from lite.ops.program_graph import program_graph
from tests.support.small_programs import affine


def shapes_of(input_shapes: dict[str, Shape]) -> list[Shape | None]:
    graph = program_graph(affine(), input_shapes=input_shapes)
    return [value.shape for value in (*graph.args, *graph.results)]


def test_shapes_follow_from_declared_inputs() -> None:
    assert shapes_of({}) == [(UNKNOWN, 4)] * 3


def test_promised_shapes_replace_declared_ones() -> None:
    assert shapes_of({"x": (5, 4)}) == [(5, 4)] * 3
    assert shapes_of({"x": ("rows", 4)}) == [("rows", 4)] * 3


@pytest.mark.parametrize(
    ("promise", "message"),
    [
        ({"y": (1, 4)}, "input_shapes: the model has no input 'y'; it has x$"),
        ({"x": (1, 3)}, r"input_shapes: input 'x': expected a shape that fits \[\?,4\], got \[1,3\]"),
        ({"x": (4,)}, r"expected a shape that fits \[\?,4\], got \[4\]"),
    ],
)
def test_promises_that_contradict_the_model_are_refused(promise: dict[str, Shape], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        shapes_of(promise)
