"""The tree of an expression → ops."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.expression import LIST, SIZE, Number, Operand, Tree
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Writer


def lower(tree: Tree, operands: Sequence[Value], writer: Writer) -> Value:
    """The value of an expression over its operands; a list gives a list, a size of a fixed shape a number.

    Raises `ModelParseError` for operands that do not exist or do not fit a function.
    """
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Operand):
        if tree.number >= len(operands):
            raise ModelParseError(f"expression: @{tree.number}, but there are {len(operands)} inputs")
        return operands[tree.number]
    values = [lower(argument, operands, writer) for argument in tree.arguments]
    if tree.function == LIST:
        return values
    if tree.function == SIZE:
        return _size(values, writer)
    if len(values) == 1:
        return arithmetic.unary(writer, tree.function, values[0])
    return arithmetic.binary(writer, tree.function, values[0], values[1])


def _size(values: Sequence[Value], writer: Writer) -> Value:
    x = values[0]
    if not isinstance(x, Var):
        raise ModelParseError(f"expression: size takes a tensor, got {x!r}")
    if len(values) == 1:
        return [writer.size(x, axis) for axis in range(writer.rank(x))]
    axis = values[1]
    if not isinstance(axis, int):
        raise ModelParseError(f"expression: size takes a dimension that is a whole number, got {axis!r}")
    return writer.size(x, axis)
