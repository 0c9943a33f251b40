"""Writes the ops that replace one op of a naive buffer, with their variables and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, Op, Program, Var, Weight
from lite.ir.types import Array, DType


class Rewriter:
    """The ops written so far for one block; `quantised` are the names that hold integers at this point.

    A quantised value is stored as floating point integers, as Paddle's quantize_linear writes them.
    """

    def __init__(self, program: Program, names: FreshNames) -> None:
        self.program = program
        self.ops: list[Op] = []
        self.quantised: set[str] = set()
        self._names = names

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Sequence[str]],
        outputs: Mapping[str, Sequence[str]],
        attrs: Mapping[str, Attribute] | None = None,
    ) -> None:
        """Add an op."""
        slots = {slot: [*names] for slot, names in inputs.items()}
        self.ops.append(Op(op, slots, {slot: [*names] for slot, names in outputs.items()}, dict(attrs or {})))

    def constant(self, name: str, array: Array) -> str:
        """Add a parameter to the program, unless it is there already with these elements; its name."""
        stored = self.program.weights.get(name)
        if stored is not None and np.array_equal(stored.array, array):
            return name
        name = self.fresh(name)
        array.flags.writeable = False
        self.program.weights[name] = Weight(array)
        dtype = DType.from_numpy(array.dtype)
        main = self.program.blocks[0]
        main.vars[name] = Var(name, dtype=dtype, shape=array.shape, persistable=True)
        return name

    def fresh(self, name: str) -> str:
        """A name that no variable has; the type of the variable follows from the op that writes it."""
        name = self._names.find(name)
        self.program.blocks[0].vars[name] = Var(name)
        return name


def only_output(op: Op, slot: str) -> str:
    """The variable in an output slot; raises `ModelParseError` unless there is exactly one."""
    names = op.outputs.get(slot, [])
    if len(names) != 1:
        raise ModelParseError(f"output slot {slot}: expected one variable, got {names[:4]}")
    return names[0]


def integer(value: int) -> Attribute:
    """An attribute that is an integer."""
    return Attribute(AttrType.INT, value)


def text(value: str) -> Attribute:
    """An attribute that is a string."""
    return Attribute(AttrType.STRING, value)
