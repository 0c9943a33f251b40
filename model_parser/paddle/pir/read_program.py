"""A PIR program to `Program`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import Block, Program, Var, VarKind, Weight
from lite.ir.types import DType
from lite.model_parser.paddle.pir.attributes import read_attribute
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.document import Parameter, PirBlock, PirOp, read_document
from lite.model_parser.paddle.pir.node import type_of
from lite.model_parser.paddle.pir.translations import TRANSLATIONS, YIELD, translate
from lite.model_parser.paddle.pir.value import MAX_CONSTANT, Value

OUTPUT_NAMES = {"fetch": "name", "builtin.shadow_output": "output_name"}
"""The ops of outputs, and the attribute with the output's name."""


def read_pir_program(data: bytes, source: str) -> Program:
    """The program of a PIR document, without its weights.

    Raises `ModelParseError` for damage, versions and ops that are not supported (one message for all ops).
    """
    try:
        main = read_document(data)
        names = _output_names(main)
    except ModelParseError as error:
        raise ModelParseError(f"{source}: {error}") from error
    ops = list(_all_ops(main))
    TRANSLATIONS.check_supported((type_of(op.name) for op in ops if op.name != YIELD), source)
    program = Program([Block(0)], source=source)
    used = {id for op in ops for id in op.operands}
    writer = BlockWriter(program, used, names)
    try:
        for parameter in main.parameters:
            _add_parameter(parameter, writer)
        for op in main.ops:
            translate(op, writer)
    except ModelParseError as error:
        raise ModelParseError(f"{source}: {error}") from error
    if not any(op.type == "fetch" for op in program.blocks[0].ops):
        raise ModelParseError(f"{source}: expected an output, got none; export the model again")
    return program


def cast_weights(program: Program, weights: Mapping[str, Weight]) -> dict[str, Weight]:
    """The weights in the element types that the program declares: a file may store float32 as float16.

    Raises `ModelParseError` where one is a floating-point type and the other is not.
    """
    return {name: _cast(program, name, weight) for name, weight in weights.items()}


def _cast(program: Program, name: str, weight: Weight) -> Weight:
    declared = program.blocks[0].vars[name].dtype
    stored = DType.from_numpy(weight.array.dtype)
    if declared is None or stored is declared:
        return weight
    if not (stored.is_float and declared.is_float):
        raise ModelParseError(
            f"{program.source}: parameter {name!r}: expected element type {declared}, as the program "
            f"declares, got {stored}; take program and parameters from one export"
        )
    array = weight.array.astype(declared.numpy)
    array.flags.writeable = False
    return Weight(array, weight.lod)


def _all_ops(block: PirBlock) -> Iterator[PirOp]:
    for op in block.ops:
        yield op
        for inner in op.blocks:
            yield from _all_ops(inner)


def _output_names(main: PirBlock) -> dict[int, str]:
    """The number of each value that the model returns, with the name of its first output."""
    names: dict[int, str] = {}
    for op in main.ops:
        attr = OUTPUT_NAMES.get(type_of(op.name))
        if attr is not None and op.operands and attr in op.attributes:
            name = read_attribute(op.attributes[attr], f"{op.where}: attribute {attr!r}")
            if isinstance(name, str) and name:
                names.setdefault(op.operands[0], name)
    return names


def _add_parameter(parameter: Parameter, writer: BlockWriter) -> None:
    """Declare a parameter; one that is not in the parameter file is a constant of zeros."""
    name, type = parameter.name, parameter.value.type
    value = writer.define(parameter.value, name)
    if value.name != name:
        raise ModelParseError(f"expected one value named {name!r}, got two")
    if parameter.is_persistable:
        writer.block.vars[name] = Var(name, VarKind.TENSOR, type.dtype, type.shape, 0, persistable=True)
    else:
        _make_zeros(value)


def _make_zeros(value: Value) -> None:
    dtype, shape = value.type.dtype, value.type.shape
    sizes = [dim for dim in shape or () if isinstance(dim, int)]
    count = np.prod(sizes, dtype=float)
    if dtype is not None and shape is not None and len(sizes) == len(shape) and count <= MAX_CONSTANT:
        value.elements, value.is_written = np.zeros(sizes, dtype.numpy), False
