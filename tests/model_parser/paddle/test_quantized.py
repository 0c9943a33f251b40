"""Quantised Paddle programs whose parameters differ from what the program declares."""

from __future__ import annotations

import numpy as np

from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType
from lite.model_parser.paddle.quantized import declare_as_stored, read_scale_outputs, undeclared_parameters


def program(*ops: Op, parameters: tuple[str, ...] = ("w", "s")) -> Program:
    block = Block(0, -1)
    for name in parameters:
        block.vars[name] = Var(name, VarKind.TENSOR, DType.FLOAT32, (2, 3), persistable=True)
    block.vars["x"] = Var("x", VarKind.TENSOR, DType.FLOAT32, (2, 3))
    block.ops = list(ops)
    return Program([block])


def test_what_only_dequantize_linear_reads_takes_its_type_from_the_file() -> None:
    model = program(Op("dequantize_linear", {"X": ["w"], "Scale": ["s"]}, {"Y": ["y"]}))
    model.weights = {"w": Weight(np.zeros((2, 3), np.int8)), "s": Weight(np.ones((1, 3), np.float32))}

    names = undeclared_parameters(model)
    declare_as_stored(model, names)

    assert names == {"w", "s"}
    variables = model.blocks[0].vars
    assert (variables["w"].dtype, variables["w"].shape) == (DType.INT8, (2, 3))
    assert (variables["s"].dtype, variables["s"].shape) == (DType.FLOAT32, (1, 3))


def test_what_another_op_reads_too_keeps_its_declaration() -> None:
    model = program(
        Op("dequantize_linear", {"X": ["w"], "Scale": ["s"]}, {"Y": ["y"]}),
        Op("relu", {"X": ["w"]}, {"Out": ["z"]}),
    )
    assert undeclared_parameters(model) == {"s"}


def quantize_weight(*, is_test: bool, scale: str) -> Op:
    attrs = {"is_test": Attribute(AttrType.BOOLEAN, is_test)}
    return Op("fake_channel_wise_quantize_abs_max", {"X": ["x"]}, {"Out": ["y"], "OutScale": [scale]}, attrs)


def test_a_scale_output_that_is_a_parameter_is_an_input() -> None:
    model = program(quantize_weight(is_test=True, scale="s"))

    read_scale_outputs(model)

    [op] = model.blocks[0].ops
    assert op.inputs == {"X": ["x"], "InScale": ["s"]}
    assert op.outputs == {"Out": ["y"]}


def test_a_measured_scale_output_stays_an_output() -> None:
    for op in (quantize_weight(is_test=False, scale="s"), quantize_weight(is_test=True, scale="t")):
        model = program(op)
        read_scale_outputs(model)
        assert set(model.blocks[0].ops[0].outputs) == {"Out", "OutScale"}
