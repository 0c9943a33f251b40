"""An operator for the functions that translate it: operands, parameters and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.element_types import torch_dtype
from lite.model_parser.pnnx.param_file import Operator
from lite.model_parser.pnnx.parameter import parse_parameter
from lite.model_parser.pnnx.value import Complex, Literal, Value, Var
from lite.model_parser.pnnx.writer import Writer


class Call:
    """One operator; `inputs` are the values of its operands, and `writer` receives its ops."""

    def __init__(
        self, operator: Operator, inputs: Sequence[Value], writer: Writer, archive: Archive | None, label: str
    ) -> None:
        self.operator = operator
        self.type = operator.type
        self.inputs = inputs
        self.writer = writer
        self.count = len(operator.outputs)
        """The number of results that are read: that of the outputs, or of the members of an only list."""
        self._positions = operator.positions()
        self._archive = archive
        self._label = label

    def with_input(self, position: int, value: Value) -> Call:
        """The same operator with another value of an input."""
        inputs = [value if n == position else other for n, other in enumerate(self.inputs)]
        return self._copy(self.operator, inputs)

    def as_type(self, type_name: str, names: Sequence[str], params: Mapping[str, str]) -> Call:
        """The call as one of another type whose inputs have these names, with more parameters."""
        named = list(zip(names, self.operator.inputs, strict=False))
        operator = replace(
            self.operator, type=type_name, named=named, params={**self.operator.params, **params}
        )
        return self._copy(operator, self.inputs)

    def _copy(self, operator: Operator, inputs: Sequence[Value]) -> Call:
        call = Call(operator, inputs, self.writer, self._archive, self._label)
        call.count = self.count
        return call

    def has_integer_result(self) -> bool:
        """Whether the file declares the first output as a tensor of integers."""
        declared = self.operator.types.get(self.operator.outputs[0]) if self.operator.outputs else None
        return declared is not None and declared.dtype.is_integer

    @property
    def x(self) -> Var:
        """The first input, a tensor."""
        return self.tensor(0)

    def tensor(self, which: int | str) -> Var:
        """An input by position or name; a literal becomes a tensor without dimensions."""
        value = self.value(which) if isinstance(which, int) else self.arg(which)
        if isinstance(value, bool | int | float):
            kinds = {bool: DType.BOOL, int: DType.INT64, float: DType.FLOAT32}
            return self.writer.literal(value, kinds[type(value)])
        if not isinstance(value, Var):
            raise self.error(f"expected a tensor as input {which}, got {value!r}")
        return value

    def value(self, position: int) -> Value:
        """The value of an input."""
        if position >= len(self.inputs):
            raise self.error(f"input {position} is missing, got {len(self.inputs)} inputs")
        return self.inputs[position]

    def arg(self, name: str, default: Value = None) -> Value:
        """A named argument: the operand of the name, else the parameter."""
        if name in self._positions:
            return self.inputs[self._positions[name]]
        if name not in self.operator.params:
            return default
        try:
            return parse_parameter(self.operator.params[name])
        except ModelParseError as error:
            raise self.error(f"parameter {name}: {error}") from None

    def raw(self, name: str) -> str:
        """The text of a parameter."""
        if name not in self.operator.params:
            raise self.error(f"parameter {name} is missing")
        return self.operator.params[name]

    def has(self, name: str) -> bool:
        """Whether the operator has the argument, other than None."""
        return self.arg(name) is not None

    def number(self, name: str, default: Literal | None = None) -> Literal:
        """A parameter that is a number."""
        value = self.arg(name)
        value = default if value is None else value
        if not isinstance(value, bool | int | float):
            raise self.error(f"parameter {name}: expected a number, got {value!r}")
        return value

    def integer(self, name: str, default: int | None = None) -> int:
        """A parameter that is an integer."""
        value = self.number(name, default)
        if not isinstance(value, int):
            raise self.error(f"parameter {name}: expected an integer, got {value!r}")
        return int(value)

    def real(self, name: str, default: float | None = None) -> float:
        """A parameter that is a real number."""
        return float(self.number(name, default))

    def flag(self, name: str, default: bool) -> bool:
        """A parameter that is true or false; in old files, 1 or 0."""
        return bool(self.number(name, default))

    def string(self, name: str, default: str) -> str:
        """A parameter that is a string."""
        value = self.arg(name)
        value = default if value is None else value
        if not isinstance(value, str):
            raise self.error(f"parameter {name}: expected a string, got {value!r}")
        return value

    def choice(self, name: str, default: str, *choices: str) -> str:
        """A parameter that is one of `choices`."""
        value = self.string(name, default)
        if value not in choices:
            raise self.error(f"parameter {name}: expected one of {', '.join(choices)}, got {value!r}")
        return value

    def items(self, name: str, default: Sequence[Value] | None = None) -> list[Value]:
        """An argument that is a list; a single value counts as a list of one."""
        value = self.arg(name)
        if value is None:
            if default is None:
                raise self.error(f"argument {name} is missing")
            return list(default)
        return [value] if isinstance(value, str | Var | Complex | bool | int | float) else list(value)

    def sizes(self, name: str, default: Sequence[int] | None = None) -> list[Value]:
        """An argument that is a list of integers and of variables that hold one."""
        items = self.items(name, default)
        if not all(isinstance(item, int | Var) for item in items):
            raise self.error(f"argument {name}: expected integers, got {items}")
        return items

    def integers(
        self, name: str, count: int | None = None, default: Sequence[int] | None = None
    ) -> list[int]:
        """A parameter that is a list of `count` integers; a single one counts as `count` equal ones."""
        items = self.items(name, default)
        numbers = [int(item) for item in items if isinstance(item, int)]
        if len(numbers) != len(items):
            raise self.error(f"parameter {name}: expected integers, got {items}")
        if count is not None and len(numbers) == 1:
            numbers *= count
        if count is not None and len(numbers) != count:
            raise self.error(f"parameter {name}: expected {count} numbers, got {items}")
        return numbers

    def reals(self, name: str, count: int) -> list[float]:
        """A parameter that is a list of `count` numbers; a single one counts as `count` equal ones."""
        items = self.items(name)
        numbers = [float(item) for item in items if isinstance(item, int | float)]
        numbers = numbers * count if len(numbers) == 1 else numbers
        if len(numbers) != count:
            raise self.error(f"parameter {name}: expected {count} numbers, got {items}")
        return numbers

    def dtype(self, name: str, default: DType) -> DType:
        """A parameter that is the name of an element type."""
        type_name = self.string(name, "")
        try:
            return torch_dtype(type_name) if type_name else default
        except ModelParseError as error:
            raise self.error(f"parameter {name}: {error}") from None

    def image(self, axes: int) -> Var:
        """The first input, which must have a batch, channels and `axes` spatial axes."""
        rank = self.writer.rank(self.x)
        if rank != 2 + axes:
            raise self.error(f"expected an input of {2 + axes} dimensions, got {rank}")
        return self.x

    def axis(self, name: str, x: Var, default: int | None = None) -> int:
        """A parameter that is an axis of `x`, counted from the front."""
        return self.axes(name, x, default)[0]

    def axes(self, name: str, x: Var, default: int | None = None) -> list[int]:
        """A parameter that is one or several axes of `x`, counted from the front."""
        rank = self.writer.rank(x)
        axes = self.integers(name, default=None if default is None else [default])
        if not axes or not all(-max(rank, 1) <= axis < max(rank, 1) for axis in axes):
            raise self.error(f"parameter {name}: expected axes of {rank} dimensions, got {axes}")
        return [axis % max(rank, 1) for axis in axes]

    def array(self, key: str, rank: int | None = None) -> Array:
        """The elements of a weight, which must have `rank` dimensions.

        A half-precision weight of an operator with a float32 output is cast to float32: pnnx computes
        such operators in float32 but does not convert their weights.
        """
        operator = self.operator
        if key not in operator.weights:
            raise self.error(f"weight @{key} is missing")
        kind = operator.weights[key]
        if rank is not None and len(kind.shape) != rank:
            raise self.error(f"weight @{key}: expected {rank} dimensions, got {list(kind.shape)}")
        if self._archive is None:
            raise self.error(
                f"has weight @{key}, but there is {self._label}; put the .bin beside the .param or name it "
                "as params_file"
            )
        try:
            array = self._archive.array(f"{operator.name}.{key}", kind)
        except ModelParseError as error:
            raise operator.error(f"weight @{key}: {error}") from None
        output_types = [operator.types[name].dtype for name in operator.outputs if name in operator.types]
        if kind.dtype in (DType.FLOAT16, DType.BFLOAT16) and DType.FLOAT32 in output_types:
            array = array.astype(np.float32)
        return array

    def weight(self, key: str) -> Var:
        """A weight as a parameter of the program."""
        return self.writer.weight(f"{self.operator.name}.{key}", self.array(key))

    def optional_weight(self, key: str) -> Var | None:
        """A weight, or None where the operator does not have it."""
        return self.weight(key) if key in self.operator.weights else None

    def error(self, reason: str) -> ModelParseError:
        """The error of an operator that cannot be translated."""
        return self.operator.error(reason)
