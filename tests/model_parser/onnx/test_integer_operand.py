"""Integers in an attribute, in a constant and in a computed input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

from lite.ir.program import Block, Program
from lite.ir.types import Array, DType, Shape
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.integer_operand import IntegerOperand, integer_operand
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.tensors import TensorReader


def operand(attrs: dict[str, Any], arrays: dict[str, Array], shape: Shape | None) -> IntegerOperand | None:
    """The operand `axes` of a node with the input ``a``."""
    tensors = TensorReader(None)
    node = OnnxNode(helper.make_node("Squeeze", ["x", "a"], ["y"], **attrs), 13, "m", tensors)
    program = Program([Block(0)])
    writer = BlockWriter(program, program.blocks[0], {"a": (DType.INT64, shape)}, arrays, tensors)
    return integer_operand(node, writer, "axes", 1)


def test_an_attribute_is_constant() -> None:
    assert operand({"axes": [0, 2]}, {}, None) == IntegerOperand([0, 2], count=2)


def test_a_constant_input_is_constant() -> None:
    assert operand({}, {"a": np.array([1])}, (1,)) == IntegerOperand([1], "a", 1)


@pytest.mark.parametrize(
    ("shape", "values", "count"), [((3,), None, 3), ((), None, 1), (("n",), None, None), ((0,), [], 0)]
)
def test_a_computed_input_has_a_name_and_perhaps_a_count(
    shape: Shape, values: list[int] | None, count: int | None
) -> None:
    assert operand({}, {}, shape) == IntegerOperand(values, "a", count)


def test_constants_become_an_attribute_and_others_an_input() -> None:
    constant, computed = IntegerOperand([1, 2]), IntegerOperand(None, "a")
    assert (constant.attr("axes"), constant.slot("AxesTensor")) == ({"axes": [1, 2]}, {})
    assert (computed.attr("axes"), computed.slot("AxesTensor")) == ({}, {"AxesTensor": "a"})
