"""Control flow, tensor arrays, and ops that pass tensors on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType
from lite.ir.types import DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, translate_region
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value

_CONDITION = PirType("condition", DType.BOOL, (1,))
_POSITION = PirType("position", DType.INT64, ())
_MASK = PirType("mask", DType.INT32, (1,))

pir_ops(
    {
        "array_length": "lod_array_length X -> Out",
        "array_read": "read_from_array X I -> Out",
        "array_to_tensor": "tensor_array_to_tensor X -> Out OutIndex | axis use_stack",
        "assign": "assign X -> Out",
        "assign_out": "assign X _ -> Out",
        "copy_to": "assign X -> Out",
        "create_array": "create_array -> Out",
        "memcpy": "assign X -> Out",
        "memcpy_d2h": "assign X -> Out",
        "memcpy_h2d": "assign X -> Out",
        "print": "print In -> Out | message summarize print_tensor_shape print_tensor_type",
        "share_data": "assign X -> Out",
        "slice_array_dense": "array_element X Position -> Out",
    }
)


@pir_op("array_pop")
def array_pop(node: PirNode, writer: BlockWriter) -> None:
    """`array_element`, then `erase_from_array`, which writes the variable of the array again."""
    array = _array(node)
    elements = np.array(node.integer("index", -1), np.int64)
    name, block = writer.new_name("position"), writer.block.index
    position = Value(_POSITION, name, block, elements, is_written=False)
    writer.emit("array_element", {"X": array, "Position": position}, {"Out": node.output(1)})
    _write_array(node, writer, "erase_from_array", {"X": array, "Position": position})


@pir_op("slice_array")
def slice_array(node: PirNode, writer: BlockWriter) -> None:
    """`slice` of a tensor array."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "starts", "StartsTensor")
    operands.add(node.input(2), "ends", "EndsTensor")
    inputs = {"Input": _array(node), **operands.inputs}
    writer.emit("slice", inputs, {"Out": node.output()}, {"axes": [0], **operands.attrs})


@pir_op("array_write")
def array_write(node: PirNode, writer: BlockWriter) -> None:
    """`write_to_array`, which writes the variable of the array again; the result is that variable."""
    inputs = {"X": node.input(1), "I": node.input(2)}
    _write_array(node, writer, "write_to_array", inputs)


def _array(node: PirNode) -> Value:
    array = node.input(0)
    if not array.type.is_array:
        raise ModelParseError(f"expected a tensor array, got {array.type.encoding}")
    return array


def _write_array(node: PirNode, writer: BlockWriter, op: str, inputs: Mapping[str, Operand]) -> None:
    """Write the variable of the array again; the op's first result is that variable."""
    array = _array(node)
    writer.write_outer(op, inputs, array)
    if array.block != writer.block.index:
        writer.outer_writes[array.name] = array
    node.output()
    writer.rebind(node.result_ids[0], array)


@pir_op("if")
def if_(node: PirNode, writer: BlockWriter) -> None:
    """A `conditional_block` for each branch, and a `select_input` for each result, as Paddle exports it."""
    if len(node.blocks) != 2:
        raise ModelParseError(f"expected 2 regions, got {len(node.blocks)}")
    condition = _as_condition(node.input(0), writer)
    negated = writer.new(condition)
    writer.emit("logical_not", {"X": condition}, {"Out": negated})
    then = _branch(node, 0, condition, writer)
    otherwise = _branch(node, 1, negated, writer)
    mask = Value(_MASK, writer.new_name(f"{condition.name}.mask"), writer.block.index)
    writer.emit("cast", {"X": condition}, {"Out": mask}, {"out_dtype": DType.INT32.code})
    for output, *choices in zip(node.outputs, otherwise, then, strict=True):
        writer.emit("select_input", {"X": choices, "Mask": mask}, {"Out": output})


def _branch(node: PirNode, number: int, condition: Value, writer: BlockWriter) -> Sequence[Value]:
    """The results of a branch, in variables of this block."""
    inner = writer.nested()
    results = translate_region(node.blocks[number], number, inner)
    if len(results) != len(node.outputs):
        raise ModelParseError(
            f"region {number}: expected {len(node.outputs)} results, as the op has, got {len(results)}"
        )
    outs = [writer.new(output, result.type) for output, result in zip(node.outputs, results, strict=True)]
    for result, out in zip(results, outs, strict=True):
        inner.write_outer("assign", {"X": result}, out)
    new_op = writer.run_block("conditional_block", {"Cond": condition}, outs, inner)
    new_op.attrs["is_scalar_condition"] = Attribute(AttrType.BOOLEAN, True)
    return outs


@pir_op("while")
def while_(node: PirNode, writer: BlockWriter) -> None:
    """A `while` op; its results are the variables that carry values from one iteration to the next."""
    initial = [node.input(position) for position in range(1, len(node.inputs))]
    carried = node.outputs
    if len(node.blocks) != 1 or not len(initial) == len(carried) == len(node.blocks[0].args):
        raise ModelParseError(
            f"expected one region with as many arguments as the {len(initial)} initial values and the "
            f"{len(carried)} results, got {[len(block.args) for block in node.blocks]}"
        )
    condition = _as_condition(node.input(0), writer)
    inner = writer.nested()
    for source, variable in zip(initial, carried, strict=True):
        writer.emit("assign", {"X": source}, {"Out": variable})
        if not variable.type.is_array:
            # A carried value may have another shape in each iteration.
            writer.block.vars[variable.name].shape = None
    for arg, variable in zip(node.blocks[0].args, carried, strict=True):
        inner.emit("assign", {"X": variable}, {"Out": inner.define(arg, f"{variable.name}.argument")})
    results = translate_region(node.blocks[0], 0, inner)
    if len(results) != len(carried) + 1:
        raise ModelParseError(
            f"region 0: expected a condition and {len(carried)} results, got {len(results)}"
        )
    for result, variable in zip(results[1:], carried, strict=True):
        inner.write_outer("assign", {"X": result}, variable)
    inner.write_outer("assign", {"X": _as_condition(results[0], inner)}, condition)
    writer.run_block("while", {"Condition": condition}, [*carried, condition], inner)


def _as_condition(value: Value, writer: BlockWriter) -> Value:
    """A condition of one element as bool[1], a new variable."""
    if value.type.dtype is not DType.BOOL:
        raise ModelParseError(f"condition {value.name!r}: expected bool, got {value.type.dtype}")
    condition = writer.new(value, _CONDITION)
    writer.emit("reshape2", {"X": value}, {"Out": condition}, {"shape": [1]})
    return condition
