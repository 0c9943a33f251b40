"""Damage to the structure of naive buffers."""

from __future__ import annotations

import copy
import random

import numpy as np

from lite.ir.program import Attribute, AttrType, AttrValue, Op, Program, Weight
from lite.model_parser.paddlelite_nb.container import open_container
from lite.model_parser.paddlelite_nb.field_program import read_field_parameters, read_field_program
from lite.model_parser.paddlelite_nb.flat_parameters import read_buffers, read_one_buffer
from lite.model_parser.paddlelite_nb.flat_program import read_flat_program
from tests.model_parser.paddlelite_nb.programs import KERNEL
from tests.model_parser.paddlelite_nb.writer import naive_buffer

_NUMBERS = (0, 1, -1, 2, 7, 127, 255, 1 << 16, (1 << 31) - 1, -(1 << 31))
_REALS = (0.0, -1.0, 1e-38, 3e38, float("inf"), float("nan"))
_KERNELS = (
    "def/4/1/1",
    "int8_out/4/2/1",
    "fp32_out/4/2/1",
    "fp32_to_int8/4/2/1",
    "int8_to_fp32/4/2/1",
    "/",
    "",
)


def damaged_program(source: random.Random, data: bytes) -> bytes:
    """A file with one change to its ops, variables or parameters; raises for content that cannot be read."""
    layout, program = _read(data)
    block = source.choice(program.blocks)
    op = source.choice(block.ops)
    match source.randrange(9):
        case 0:
            block.ops.remove(op)
        case 1:
            block.ops.insert(source.randrange(len(block.ops) + 1), copy.deepcopy(op))
        case 2:
            op.type = source.choice([each.type for each in block.ops])
        case 3 | 4:
            _change_attribute(source, op)
        case 5:
            op.attrs[KERNEL] = Attribute(AttrType.STRING, f"{op.type}/{source.choice(_KERNELS)}")
        case 6:
            _change_names(source, op, sorted(block.vars))
        case 7:
            var = source.choice(sorted(block.vars.values(), key=lambda each: each.name))
            var.shape = tuple(source.choice(_NUMBERS) for _ in range(source.randrange(5)))
            var.persistable = source.random() < 0.5
        case _:
            _change_weight(source, program)
    return naive_buffer(program, layout)


def _read(data: bytes) -> tuple[int, Program]:
    container = open_container(memoryview(data))
    if container.layout == 0:
        program = read_field_program(container.program, "sample")
        program.weights = read_field_parameters(container.parameters)
    else:
        program = read_flat_program(container.program, "sample")
        read = read_one_buffer if container.layout == 1 else read_buffers
        program.weights = read(container.parameters)
    return container.layout, program


def _change_attribute(source: random.Random, op: Op) -> None:
    name = source.choice(sorted(op.attrs))
    attribute = op.attrs[name]
    value: AttrValue = attribute.value
    if isinstance(value, list):
        items = [*value, *value][: source.randrange(2 * len(value) + 1)]
        changed = [source.choice(_NUMBERS) if isinstance(item, int) else item for item in items]
        attribute.value = [source.choice(_REALS) if isinstance(item, float) else item for item in changed]
    elif isinstance(value, bool):
        attribute.value = not value
    elif isinstance(value, int):
        attribute.value = source.choice(_NUMBERS)
    elif isinstance(value, float):
        attribute.value = source.choice(_REALS)
    else:
        attribute.value = source.choice(["", "relu", "prelu", "matmul_v2", "NHWC", "SAME"])
    if source.random() < 0.2:
        del op.attrs[name]


def _change_names(source: random.Random, op: Op, names: list[str]) -> None:
    slots = source.choice([op.inputs, op.outputs])
    if not slots:
        return
    slot = source.choice(sorted(slots))
    slots[slot] = source.choice([[], [source.choice(names)], [*slots[slot], source.choice(names)]])


def _change_weight(source: random.Random, program: Program) -> None:
    if not program.weights:
        return
    name = source.choice(sorted(program.weights))
    array = program.weights[name].array
    dtype = source.choice([np.float32, np.int8, np.int16, np.int64])
    shape = source.choice([array.shape, array.shape[::-1], (array.size,), (0,), ()])
    changed = np.resize(array.reshape(-1) if array.size else np.ones(1, np.float32), shape)
    program.weights[name] = Weight(changed.astype(dtype))
