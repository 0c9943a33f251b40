"""Named inputs of an operator."""

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.operator import Operator, TensorType


def test_one_operand_under_several_names() -> None:
    operator = Operator("torch.addmm", "a", ["6", "6", "3"], ["16"], "m: line 1")
    operator.named = [("input", "6"), ("mat1", "6"), ("mat2", "3")]
    assert operator.positions() == {"input": 0, "mat1": 1, "mat2": 2}


def test_no_names() -> None:
    assert Operator("nn.ReLU", "a", ["0"], ["1"], "m: line 1").positions() == {}


def test_more_names_than_inputs() -> None:
    operator = Operator("x", "a", ["6"], [], "m: line 1", named=[("p", "6"), ("q", "6")])
    with pytest.raises(ModelParseError) as error:
        operator.positions()
    assert str(error.value) == "m: line 1: x 'a': $q=6, but no (further) input is '6'"


def test_counts_of_types() -> None:
    assert TensorType(DType.FLOAT32, (2, 3)).count == 6
    assert TensorType(DType.FLOAT32, ()).count == 1
    assert TensorType(DType.FLOAT32, ("?", 0)).count is None
