"""fusion_group: its programs, the shapes of its results, and how a program is cut by size."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, DType, Shape
from lite.ops import Meta, get_schema, infer
from lite.ops.fusion_program import Instruction, operand_count, program_text, read_program
from lite.plugin.kernel.fusion_stages import in_stages
from lite.plugin.kernel.merged_axes import merged_axes

PROGRAM = "elementwise_mul 0 1; scale 2 2.0 0.5; sigmoid 3"


def shapes(program: str, results: list[int], *inputs: Shape) -> list[Shape | None]:
    schema = get_schema("fusion_group")
    x, *others = (Meta(DType.FLOAT32, shape) for shape in inputs)
    attrs = schema.attr_values({"program": program, "results": results})
    metas = {"X": [x], "Inputs": others} if others else {"X": [x]}
    return [meta.shape for meta in infer(schema, metas, attrs, {"Out": len(results)})["Out"]]


def test_a_program_is_read_as_it_is_written() -> None:
    program = read_program(PROGRAM)
    assert program == (
        Instruction("elementwise_mul", (0, 1)),
        Instruction("scale", (2,), (2.0, 0.5)),
        Instruction("sigmoid", (3,)),
    )
    assert program_text(program) == PROGRAM
    assert read_program("clip 0 -inf 1e-08")[0].numbers == (float("-inf"), 1e-8)


def test_attributes_have_defaults_and_types() -> None:
    assert read_program("leaky_relu 0")[0].attrs() == {"alpha": 0.02}
    assert read_program("gelu 0 1.0")[0].attrs() == {"approximate": True}
    assert read_program("scale 0 2.0")[0].attrs()["bias"] == 0.0


@pytest.mark.parametrize(
    ("op", "count"),
    [
        ("relu", 1),
        ("scale", 1),
        ("clip", 1),
        ("pow", 1),
        ("elementwise_add", 2),
        ("where", None),
        ("cast", None),
        ("equal", None),
        ("silu", None),
        ("sum", None),
        ("softmax", None),
        ("fusion_group", None),
        ("nonsense", None),
    ],
)
def test_instructions_are_functions_of_one_or_two_operands(op: str, count: int | None) -> None:
    assert operand_count(op) == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' cannot be an instruction"),
        ("sigmold 0", "did you mean 'sigmoid'"),
        ("softmax 0", "'softmax' cannot be"),
        ("sigmoid", "expected 1 operands"),
        ("elementwise_add 0", "expected 2 operands"),
        ("sigmoid x", "invalid literal"),
        ("sigmoid 0 1.0", "at most 0 numbers"),
    ],
)
def test_a_text_that_is_not_a_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        read_program(text)


def test_shapes_broadcast_from_result_to_result() -> None:
    assert shapes(PROGRAM, [4], (2, 3, 4), (3, 1)) == [(2, 3, 4)]
    assert shapes("exp 0; elementwise_add 1 2", [2, 3], (3, 1), (2, 3, 4)) == [(3, 1), (2, 3, 4)]
    assert shapes("relu 0; exp 1", [2], ("n", UNKNOWN)) == [("n", UNKNOWN)]


@pytest.mark.parametrize(
    ("program", "results", "inputs", "message"),
    [
        ("relu 1", [1], [(2,)], "operands from 0 to 0"),
        ("relu 0; exp 1", [1], [(2,)], "the last among them"),
        ("relu 0", [0], [(2,)], "numbers from 1 to 1"),
        ("relu 0; exp 1", [2, 2], [(2,)], "numbers from 1 to 2"),
        ("elementwise_add 0 1", [2], [(2,), (3,)], "shapes that broadcast"),
    ],
)
def test_programs_that_do_not_fit_their_operands_are_refused(
    program: str, results: list[int], inputs: list[Shape], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        shapes(program, results, *inputs)


def test_operands_have_one_element_type() -> None:
    schema = get_schema("fusion_group")
    metas = {"X": [Meta(DType.FLOAT32, (2,))], "Inputs": [Meta(DType.FLOAT64, (2,))]}
    with pytest.raises(GraphError, match="the element type of X"):
        infer(schema, metas, {"program": "elementwise_add 0 1", "results": [2]}, {"Out": 1})


def test_a_program_of_one_size_is_one_stage() -> None:
    [stage] = in_stages(read_program(PROGRAM), [4], [(2, 3), (3,)])
    assert stage.instructions == read_program(PROGRAM)
    assert (stage.results, stage.reads, stage.writes) == ((4,), (0, 1), (4,))


def test_smaller_values_are_computed_first() -> None:
    program = read_program(
        "sqrt 1; elementwise_mul 0 3; reciprocal 3; elementwise_add 4 2; elementwise_mul 6 5"
    )
    first, rest = in_stages(program, [5, 7], [(4, 8), (4, 1), (8,)])
    assert program_text(first.instructions) == "sqrt 0; reciprocal 1"
    assert (first.results, first.reads, first.writes) == ((1, 2), (1,), (3, 5))
    assert program_text(rest.instructions) == "elementwise_mul 0 2; elementwise_add 4 1; elementwise_mul 5 3"
    assert (rest.results, rest.reads, rest.writes) == ((6,), (0, 2, 3, 5), (7,))


@pytest.mark.parametrize("shapes", [[(2, 1), (2, 3), (2, 4)], [(1, 1), (2, 1), (1, 3)]])
def test_without_a_largest_shape_each_instruction_is_a_stage(shapes: list[tuple[int, ...]]) -> None:
    stages = in_stages(read_program("sqrt 0; elementwise_mul 1 3; elementwise_add 2 3"), [4, 5], shapes)
    assert [program_text(stage.instructions) for stage in stages] == [
        "sqrt 0", "elementwise_mul 0 1", "elementwise_add 0 1",
    ]  # fmt: skip
    assert [stage.reads for stage in stages] == [(0,), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("operands", "sizes", "spans"),
    [
        ([(2, 3, 4)], (24,), [(True,)]),
        ([(2, 3, 4), ()], (24,), [(True,), (False,)]),
        ([(2, 3, 4, 5), (3, 1, 1)], (2, 3, 20), [(True, True, True), (False, True, False)]),
        ([(1, 3, 4, 5), (3, 1, 1)], (3, 20), [(True, True), (True, False)]),
        ([(6, 7), (7,), (6, 1)], (6, 7), [(True, True), (False, True), (True, False)]),
        ([(1, 1), ()], (), [(), ()]),
        ([(0, 3), (3,)], (0, 3), [(True, True), (False, True)]),
    ],
)
def test_axes_that_broadcast_alike_are_one(
    operands: list[tuple[int, ...]], sizes: tuple[int, ...], spans: list[tuple[bool, ...]]
) -> None:
    assert merged_axes(operands) == (sizes, spans)
