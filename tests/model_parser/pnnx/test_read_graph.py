"""Whole models: names, order, tuples, types and messages."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.ir.types import DType
from tests.model_parser.pnnx.models import param, parse, run, source

X = "pnnx.Input i 0 1 x #x=(2,?)f32"
Y = "pnnx.Input j 0 1 y #y=(2,?)f32"
DATA = np.array([[1.0, -2.0], [3.0, -4.0]], np.float32)


def op_lines(lines: list[str]) -> list[str]:
    """The ops of a model as ``outputs = type(inputs)``."""
    return [
        f"{', '.join(n for names in op.outputs.values() for n in names)} = "
        f"{op.type}({', '.join(n for names in op.inputs.values() for n in names)})"
        for op in parse(lines).blocks[0].ops
    ]


def test_operands_name_the_variables() -> None:
    assert op_lines([X, Y, "nn.ReLU r 1 1 y a", "nn.GELU g 1 1 x b", "pnnx.Output o 2 0 a b"]) == [
        "x = feed(feed)",
        "y = feed(feed)",
        "a = relu(y)",
        "b = gelu(x)",
        "fetch = fetch(a)",
        "fetch = fetch(b)",
    ]


def test_variables_have_shapes_and_types() -> None:
    program = parse([X, "nn.ReLU r 1 1 x a", "Tensor.to t 1 1 a b dtype=torch.half", "pnnx.Output o 1 0 b"])
    variables = program.blocks[0].vars
    assert [(variables[name].dtype, variables[name].shape) for name in ("x", "a", "b")] == [
        (DType.FLOAT32, (2, "?")),
        (DType.FLOAT32, (2, "?")),
        (DType.FLOAT16, (2, "?")),
    ]


def test_symbolic_sizes_keep_their_names() -> None:
    program = parse(["pnnx.Input i 0 1 x #x=(%batch,3)f32", "nn.ReLU r 1 1 x a", "pnnx.Output o 1 0 a"])
    assert program.blocks[0].vars["a"].shape == ("batch", 3)


def test_an_operator_that_does_nothing_has_a_variable() -> None:
    assert op_lines([X, "nn.Identity r 1 1 x a", "pnnx.Output o 1 0 a"])[1] == "a = assign(x)"


def test_an_input_can_be_an_output() -> None:
    (output,) = run([X, "pnnx.Output o 1 0 x"], [DATA])
    np.testing.assert_array_equal(output, DATA)


def test_a_tensor_that_is_two_outputs_has_two_names() -> None:
    lines = [X, "nn.ReLU r 1 1 x a", "prim::TupleConstruct t 2 1 a a b", "pnnx.Output o 1 0 b"]
    model = source(lines)
    config = lite.Config(model_buffer=model.model, params_buffer=model.params)
    predictor = lite.create_predictor(config)
    assert predictor.output_names == ["a", "a.1"]
    for array in predictor.run([DATA]).values():
        np.testing.assert_array_equal(array, np.maximum(DATA, 0))


def test_tuples_nest_and_unpack() -> None:
    lines = [
        X,
        Y,
        "prim::TupleConstruct t 2 1 x y a",
        "prim::TupleConstruct u 2 1 a x b",
        "prim::TupleUnpack v 1 2 b c d",
        "prim::TupleUnpack w 1 2 c e f",
        "pnnx.Expression s 2 1 e f g expr=sub(@0,@1)",
        "prim::TupleConstruct z 2 1 g b h",
        "pnnx.Output o 1 0 h",
    ]
    other = DATA + 1
    outputs = run(lines, [DATA, other])
    for array, expected in zip(outputs, (DATA - other, DATA, other, DATA), strict=True):
        np.testing.assert_array_equal(array, expected)


def test_a_number_can_be_an_output() -> None:
    outputs = run([X, "pnnx.Expression e 0 1 a expr=add(2,3)", "pnnx.Output o 2 0 a x"], [DATA])
    assert (outputs[0].dtype.name, outputs[0].shape, outputs[0].item()) == ("int64", (), 5)


def test_the_declared_element_type_is_used() -> None:
    lines = [X, "pnnx.Expression e 1 1 x a expr=mul(@0,2) #a=(2,2)f64", "pnnx.Output o 1 0 a"]
    (output,) = run(lines, [DATA])
    assert output.dtype == np.float64
    np.testing.assert_array_equal(output, DATA * 2)


def test_half_weights_of_a_float_operator_become_float() -> None:
    weight = np.eye(2, dtype=np.float16)
    lines = [X, "nn.Linear f 1 1 x a @weight=(2,2)f16 #a=(2,2)f32", "pnnx.Output o 1 0 a"]
    program = parse(lines, {"f.weight": weight})
    assert program.weights["f.weight"].array.dtype == np.float32


def test_all_unsupported_operators_are_listed_at_once() -> None:
    lines = [X, "nn.Relu a 1 1 x a", "nn.Relu b 1 1 a b", "custom::zz c 1 1 b c", "pnnx.Output o 1 0 c"]
    with pytest.raises(ModelParseError) as error:
        parse(lines)
    text = param(lines)
    assert str(error.value) == (
        f"model buffer of {len(text)} bytes: 2 PNNX operator types are not supported: custom::zz (1x), "
        "nn.Relu (2x, did you mean 'nn.ReLU', 'nn.ReLU6', 'nn.RReLU')"
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([X], "the model has no output, an operand of pnnx.Output; the file may be cut short"),
        (["pnnx.Input i 0 1 x"], "line 3: pnnx.Input 'i': the shape and type #x of the input are missing"),
        (
            ["pnnx.Input i 0 1 feed #feed=(1)f32"],
            "line 3: pnnx.Input 'i': 'feed' is a reserved name and cannot be an operand; rename it",
        ),
        (
            [X, "torch.unbind u 1 3 x a b c dim=0"],
            "line 4: torch.unbind 'u': expected 2 outputs by the shape rule, got 3",
        ),
        (
            [X, "nn.ReLU r 1 2 x a b"],
            "line 4: nn.ReLU 'r': expected at most 1 outputs, got 2",
        ),
        (
            [X, "pnnx.Expression e 1 1 x a expr=add(@0,@1)"],
            "line 4: pnnx.Expression 'e': expression: no input @1; the operator has 1",
        ),
        (
            [X, "pnnx.Expression e 1 1 x a expr=add(@0)"],
            "line 4: pnnx.Expression 'e': expression: add takes 2 operands, got 1\n  add(@0)\n  ^",
        ),
        (
            [X, "torch.transpose t 1 1 x a dim0=0 dim1=2"],
            "line 4: torch.transpose 't': parameter dim1: expected axes of 2 dimensions, got [2]",
        ),
    ],
)
def test_invalid_models_are_refused(lines: list[str], reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        parse(lines)
    text = str(error.value)
    label = f"model buffer of {len(param(lines))} bytes: "
    assert text.startswith(label)
    assert text.removeprefix(label).startswith(reason)
