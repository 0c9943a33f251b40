"""An op of a PIR program during translation: its operands, results and attributes, checked on access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.paddle.pir.attributes import AttributeValue, read_attribute
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.document import PirBlock, PirOp
from lite.model_parser.paddle.pir.value import Value

T = TypeVar("T")

_KINDS: dict[type, str] = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


class PirNode:
    """An op with the values of its operands; its results are new values of the block.

    An attribute that the file lacks has the default of the call: older versions of the format have fewer.
    """

    def __init__(self, op: PirOp, writer: BlockWriter) -> None:
        self._source = op
        self.inputs: Sequence[Value | None] = [writer.find(id) for id in op.operands]
        self.outputs: Sequence[Value] = [
            writer.define(result, writer.output_names.get(result.id, f"{self.op}_{result.id}"))
            for result in op.results
        ]
        self._used = [result.id in writer.used for result in op.results]

    @property
    def op(self) -> str:
        """The name in the table of translations."""
        return type_of(self._source.name)

    @property
    def blocks(self) -> Sequence[PirBlock]:
        """The blocks of the op's regions."""
        return self._source.blocks

    @property
    def result_ids(self) -> Sequence[int]:
        """The numbers of the results."""
        return [result.id for result in self._source.results]

    def input(self, position: int) -> Value:
        """An operand; raises `ModelParseError` where it is absent."""
        value = self.optional(position)
        if value is None:
            raise ModelParseError(f"expected an operand {position}, got {len(self.inputs)} operands")
        return value

    def optional(self, position: int) -> Value | None:
        """An operand, or None where it is absent."""
        return self.inputs[position] if position < len(self.inputs) else None

    def parts(self, position: int) -> Sequence[Value]:
        """The parts of a list of tensors; a tensor is a list of one."""
        value = self.input(position)
        return [value] if value.parts is None else value.parts

    def output(self, position: int = 0) -> Value:
        """A result; raises `ModelParseError` where the op has fewer."""
        if position >= len(self.outputs):
            raise ModelParseError(f"expected a result {position}, got {len(self.outputs)} results")
        return self.outputs[position]

    def is_used(self, position: int) -> bool:
        """Whether the op has a result at this position that another op reads."""
        return position < len(self._used) and self._used[position]

    def has(self, name: str) -> bool:
        """Whether the op has the attribute."""
        return name in self._source.attributes

    def attribute(self, name: str) -> AttributeValue:
        """The value of an attribute that the op has."""
        if name not in self._source.attributes:
            raise ModelParseError(f"attribute {name!r} is missing; export the model again")
        return read_attribute(self._source.attributes[name], f"attribute {name!r}")

    def boolean(self, name: str, default: bool) -> bool:
        """An attribute that is true or false."""
        return self._checked(name, self.attribute(name), bool) if self.has(name) else default

    def integer(self, name: str, default: int) -> int:
        """An integer attribute."""
        return self._checked(name, self.attribute(name), int) if self.has(name) else default

    def real(self, name: str, default: float) -> float:
        """A number."""
        return self._checked(name, self.attribute(name), float) if self.has(name) else default

    def string(self, name: str, default: str) -> str:
        """A string."""
        return self._checked(name, self.attribute(name), str) if self.has(name) else default

    def integers(self, name: str) -> list[int]:
        """A list of integers; empty where the op does not have it."""
        return [self._checked(name, item, int) for item in self._items(name)]

    def reals(self, name: str) -> list[float]:
        """A list of numbers; empty where the op does not have it."""
        return [self._checked(name, item, float) for item in self._items(name)]

    def elements(self, name: str) -> list[float]:
        """A list of numbers, or of true and false as 1 and 0; empty where the op does not have it."""
        items = (float(item) if isinstance(item, bool) else item for item in self._items(name))
        return [self._checked(name, item, float) for item in items]

    def dtype(self, name: str = "dtype") -> DType | None:
        """An element type; None for the undefined one, which means the input's."""
        value = self.attribute(name) if self.has(name) else None
        if value is None or isinstance(value, DType):
            return value
        raise ModelParseError(f"attribute {name!r}: expected an element type, got {value!r}")

    def _items(self, name: str) -> list[AttributeValue]:
        value = self.attribute(name) if self.has(name) else []
        return value if isinstance(value, list) else [value]

    def _checked(self, name: str, value: AttributeValue, kind: type[T]) -> T:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise ModelParseError(f"attribute {name!r}: expected {_KINDS[kind]}, got {value!r}")


def type_of(name: str) -> str:
    """``pd_op.batch_norm_`` → ``batch_norm``: in place or not, an op computes the same."""
    return name.removeprefix("pd_op.").removesuffix("_")
