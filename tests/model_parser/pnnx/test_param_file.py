"""The operators of a ``.pnnx.param`` text, and the names of their inputs."""

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.param_file import Operator, TensorType, read_param

TEXT = """7767517
3 2
pnnx.Input               pnnx_input_0             0 1 0 #0=(?,3,%n)f32
nn.Linear                fc                       1 1 0 1 in_features=3 @bias=(2)f32 $input=0 #1=()f64

pnnx.Output              pnnx_output_0            1 0 1
"""


def test_every_part_of_a_line_is_read() -> None:
    assert read_param(TEXT, "m") == [
        Operator(
            "pnnx.Input",
            "pnnx_input_0",
            [],
            ["0"],
            "m: line 3",
            types={"0": TensorType(DType.FLOAT32, ("?", 3, "n"))},
        ),
        Operator(
            "nn.Linear",
            "fc",
            ["0"],
            ["1"],
            "m: line 4",
            params={"in_features": "3"},
            weights={"bias": TensorType(DType.FLOAT32, (2,))},
            named=[("input", "0")],
            types={"1": TensorType(DType.FLOAT64, ())},
        ),
        Operator("pnnx.Output", "pnnx_output_0", ["1"], [], "m: line 6"),
    ]


def test_a_value_may_contain_equals_signs() -> None:
    (operator,) = read_param("7767517\n1 0\nx y 0 0 expr=a=b(c,d)", "m")
    assert operator.params == {"expr": "a=b(c,d)"}


def test_an_empty_list_is_read() -> None:
    assert read_param("7767517\n0 0\n", "m") == []


def test_windows_line_ends_and_a_byte_order_mark_are_accepted() -> None:
    assert len(read_param("\ufeff" + TEXT.replace("\n", "\r\n"), "m")) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "m: line 1: expected 7767517, got 'an empty file'; not a PNNX model"),
        ("7767518\n0 0", "m: line 1: expected 7767517, got '7767518'; not a PNNX model"),
        ("7767517", "m: the file ends after line 1, expected the counts of operators and operands"),
        ("7767517\n1", "m: line 2: expected the counts of operators and operands, got '1'"),
        ("7767517\n-1 0", "m: line 2: expected the counts of operators and operands, got '-1 0'"),
        ("7767517\n2 0\na b 0 0", "m: line 2 declares 2 operators, got 1; the file may be cut short"),
        ("7767517\n1 2\na b 0 1 x", "m: line 2 declares 2 operands, got 1; the file may be cut short"),
        (
            "7767517\n1 0\na b 0",
            "m: line 3: expected type, name and the counts of inputs and outputs, got 'a b 0'",
        ),
        (
            "7767517\n1 0\na b 0 x",
            "m: line 3: expected type, name and the counts of inputs and outputs, got 'a b 0 x'",
        ),
        ("7767517\n1 0\na b 0 2 x", "m: line 3: a 'b': expected 0 inputs and 2 outputs, got 1 words"),
        ("7767517\n1 0\na b 0 0 x", "m: line 3: a 'b': expected key=value, got 'x'"),
        ("7767517\n1 0\na b 0 0 @=(1)f32", "m: line 3: a 'b': expected key=value, got '@=(1)f32'"),
        (
            "7767517\n1 0\na b 0 0 @w=1",
            "m: line 3: a 'b': expected a shape and type as (1,3,?)f32, got '@w=1'",
        ),
        (
            "7767517\n1 0\na b 0 0 @w=(-2)f32",
            "m: line 3: a 'b': expected a size, ? or %name, got '-2' in '@w=(-2)f32'",
        ),
        ("7767517\n1 0\na b 1 0 x", "m: line 3: a 'b': input 'x' is not an output of an earlier operator"),
        (
            "7767517\n2 1\na b 0 1 x\na c 0 1 x",
            "m: line 4: a 'c': operand 'x' is an output of 'b' already",
        ),
        (
            "7767517\n2 1\na b 0 1 x\na c 1 0 x $k=y",
            "m: line 4: a 'c': $k=y: expected an input 'y' without a name",
        ),
    ],
)
def test_malformed_lists_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        read_param(text, "m")
    assert str(error.value) == reason


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ModelParseError, match=r"^m: line 3: a 'b': '@w=\(1\)c32': element type 'c32', expected"
    ):
        read_param("7767517\n1 0\na b 0 0 @w=(1)c32", "m")


def test_names_of_one_operand_have_different_positions() -> None:
    operator = Operator("torch.addmm", "a", ["6", "6", "3"], ["16"], "m: line 1")
    operator.named = [("input", "6"), ("mat1", "6"), ("mat2", "3")]
    assert operator.positions() == {"input": 0, "mat1": 1, "mat2": 2}


def test_an_operator_without_names_is_read() -> None:
    assert Operator("nn.ReLU", "a", ["0"], ["1"], "m: line 1").positions() == {}


def test_more_names_than_inputs_are_refused() -> None:
    operator = Operator("x", "a", ["6"], [], "m: line 1", named=[("p", "6"), ("q", "6")])
    with pytest.raises(ModelParseError) as error:
        operator.positions()
    assert str(error.value) == "m: line 1: x 'a': $q=6: expected an input '6' without a name"


def test_a_type_has_its_number_of_elements() -> None:
    assert TensorType(DType.FLOAT32, (2, 3)).count == 6
    assert TensorType(DType.FLOAT32, ()).count == 1
    assert TensorType(DType.FLOAT32, ("?", 0)).count is None
