"""An operator of a TFLite subgraph: its tensors and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.tflite.model import TfliteModel
from lite.model_parser.tflite.schema import NAMED_LISTS, OPTION_LISTS, OPTION_TEXTS, OPTIONS
from lite.model_parser.tflite.tensors import Tensor
from lite.plugin.format.flatbuffer import Table
from lite.plugin.format.flexbuffer import Scalar, read_map


class TfliteNode:
    """An operator; absent optional inputs are None.  `model` has the subgraphs that options number."""

    def __init__(
        self,
        op: str,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        options: Table | None,
        model: TfliteModel,
        custom: bytes = b"",
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.model = model
        self._options = options
        self._custom = custom

    def between(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> TfliteNode:
        """The same operator between other tensors."""
        return TfliteNode(self.op, inputs, outputs, self._options, self.model, self._custom)

    def input(self, position: int) -> Tensor:
        """An input; raises `ModelParseError` where it is absent."""
        tensor = self.optional(position)
        if tensor is None:
            raise ModelParseError(f"expected an input {position}, got {len(self.inputs)} inputs")
        return tensor

    def optional(self, position: int) -> Tensor | None:
        """An input, or None where it is absent."""
        return self.inputs[position] if position < len(self.inputs) else None

    def output(self, position: int = 0) -> Tensor:
        """An output; raises `ModelParseError` where the op has fewer."""
        if position >= len(self.outputs):
            raise ModelParseError(f"expected an output {position}, got {len(self.outputs)} outputs")
        return self.outputs[position]

    def constant(self, position: int) -> Array:
        """The elements of a constant input; raises `ModelParseError` for one that is computed."""
        tensor = self.input(position)
        if tensor.elements is None:
            raise ModelParseError(f"input {position} ({tensor.name!r}): expected a constant")
        return tensor.elements

    def integers(self, position: int) -> list[int]:
        """The elements of a constant input as integers."""
        array = self.constant(position)
        if array.dtype.kind not in "iu":
            raise ModelParseError(f"input {position}: expected integers, got {array.dtype}")
        return [int(item) for item in array.reshape(-1)]

    def number(self, name: str) -> float:
        """An option, or its default."""
        field, code, default = OPTIONS[self.op][name]
        return default if self._options is None else self._options.scalar(field, code, default)

    def integer(self, name: str) -> int:
        """An integer option, or its default."""
        return int(self.number(name))

    def flag(self, name: str) -> bool:
        """A boolean option, or its default."""
        return bool(self.number(name))

    def has_option(self, name: str) -> bool:
        """Whether the op has an option of this name."""
        return name in OPTIONS.get(self.op, {})

    def option_list(self) -> list[int]:
        """The option that is a list of integers; empty where it is absent."""
        return [int(item) for item in self.option_array().tolist()]

    def option_array(self) -> Array:
        """The option that is a list of numbers, in its type; empty where it is absent."""
        field, code = OPTION_LISTS[self.op]
        return np.empty(0, code) if self._options is None else self._options.numbers(field, code)

    def integer_list(self, name: str) -> list[int]:
        """An option that is a list of integers, of an op with several; empty where it is absent."""
        field, code = NAMED_LISTS[self.op][name]
        return [] if self._options is None else [int(n) for n in self._options.numbers(field, code).tolist()]

    def option_text(self) -> str:
        """The options that are strings, joined; empty where they are absent."""
        if self._options is None:
            return ""
        return "/".join(self._options.string(field) for field in OPTION_TEXTS[self.op])

    def custom_options(self) -> Mapping[str, Scalar]:
        """The scalar options of a custom op, by name."""
        return read_map(self._custom)
