"""Emission: the code of one op under construction: the parameters of a C function, and its body."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Value
from lite.ir.types import Array, DType
from lite.plugin.emitter.emit_op import EmitValue

C_TYPES = {
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
    DType.INT64: "int64_t",
    DType.INT32: "int32_t",
    DType.INT16: "int16_t",
    DType.INT8: "int8_t",
    DType.UINT8: "uint8_t",
    DType.BOOL: "uint8_t",
}
"""The element types that C arrays can have here."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a parameter points to: a value, an array of weights, or `scratch` bytes for this step.

    With none of them, it is the beginning of all weights.
    """

    value: Value | None = None
    weights: Array | None = None
    scratch: int = 0


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function: its type, name and source; `written` for an output.

    `over` names an input of the same size whose memory this output may take.
    """

    ctype: str
    name: str
    source: Source
    written: bool = False
    over: str = ""


@dataclass
class Emission:
    """The function of one op.  `vector` is the number of floats to whose multiples weights are padded.

    With `fast`, larger weights and other roundings of floats are allowed where they save time.
    """

    vector: int = 16
    fast: bool = False
    parameters: list[Parameter] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    includes: list[Path] = field(default_factory=list)
    fails: bool = False
    """Whether the function returns a status other than LB_OK in some runs."""
    definitions: dict[str, str] = field(default_factory=dict)

    def read(self, value: EmitValue, name: str) -> None:
        """A parameter for an input; constants are weights."""
        if value.data is not None:
            self.weights(value.data, name)
        else:
            self.parameters.append(Parameter(C_TYPES[value.dtype], name, Source(value.value)))

    def write(self, value: EmitValue, name: str, over: str = "") -> None:
        """A parameter for an output.

        With `over`, each element of the output depends on that input only through the element at its place,
        so that both may share memory.
        """
        self.parameters.append(Parameter(C_TYPES[value.dtype], name, Source(value.value), True, over))

    def weights(self, array: Array, name: str) -> None:
        """A parameter for constant numbers, which are written to the weights."""
        ctype = C_TYPES[DType.from_numpy(array.dtype)]
        self.parameters.append(Parameter(ctype, name, Source(weights=np.ascontiguousarray(array))))

    def scratch(self, count: int, name: str, dtype: DType = DType.FLOAT32) -> None:
        """A parameter for `count` elements of memory that the step alone uses."""
        source = Source(scratch=max(count, 1) * dtype.itemsize)
        self.parameters.append(Parameter(C_TYPES[dtype], name, source, True))

    def all_weights(self, name: str) -> None:
        """A parameter for the beginning of the weights, which functions that this one calls need."""
        self.parameters.append(Parameter("unsigned char", name, Source()))

    def use(self, path: Path) -> None:
        """Functions of a C file that the code calls."""
        if path not in self.includes:
            self.includes.append(path)

    def define(self, name: str, text: str) -> None:
        """A definition before the function, the same for all emissions that use its name."""
        self.definitions[name] = text

    def code(self, *lines: str) -> None:
        """Append lines to the body of the function."""
        self.lines += lines
