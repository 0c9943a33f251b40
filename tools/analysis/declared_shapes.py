"""A program whose inputs, and what follows from them, are declared with other shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from lite.ir.program import Program
from lite.ir.types import Shape
from lite.ops.program_graph import program_graph

OPEN = -1
"""An open size in a Paddle program, which has no names for sizes."""


def with_input_shapes(program: Program, shapes: Mapping[str, Shape]) -> Program:
    """The program with the same ops and weights, and with the shapes of all variables that follow.

    Named and open sizes are declared as open.  Raises what `program_graph` raises.
    """
    graph = program_graph(program, (), shapes)
    inferred = {
        value.name: value.shape
        for value in (*graph.args, *(value for node in graph for value in node.all_outputs()))
        if value.shape is not None
    }
    main, *others = program.blocks
    changed = {
        name: dataclasses.replace(var, shape=tuple(_declared(dim) for dim in inferred[name]))
        if name in inferred and var.shape is not None
        else var
        for name, var in main.vars.items()
    }
    return dataclasses.replace(program, blocks=[dataclasses.replace(main, vars=changed), *others])


def _declared(dim: int | str) -> int:
    return dim if isinstance(dim, int) else OPEN
