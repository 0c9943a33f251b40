"""Two habits of quantised Paddle programs that the program alone does not show.

Programs of Paddle's quantisation tools declare weights of ``dequantize_linear`` as float32 where the file
holds int8, and scales with other dims; and ``fake_channel_wise_quantize_abs_max`` with ``is_test`` reads the
parameter that it names as its output OutScale.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from lite.ir.program import Program, VarKind
from lite.ir.types import DType

_LINEAR = ("quantize_linear", "dequantize_linear")
_READS_OUTPUT = "fake_channel_wise_quantize_abs_max"


def read_scale_outputs(program: Program) -> None:
    """Make each OutScale that an op reads, because it is a parameter, the op's input InScale."""
    parameters = {name for name, var in program.blocks[0].vars.items() if var.persistable}
    for block in program.blocks:
        for op in block.ops:
            scale = op.outputs.get("OutScale", []) if op.type == _READS_OUTPUT else []
            is_test = op.attrs.get("is_test")
            if scale and parameters.issuperset(scale) and (is_test is None or is_test.value):
                op.inputs["InScale"] = scale
                del op.outputs["OutScale"]


def undeclared_parameters(program: Program) -> frozenset[str]:
    """The variables that only (de)quantize_linear reads: the file alone says their dtype and dims."""
    linear: set[str] = set()
    others: set[str] = set()
    for block in program.blocks:
        for op in block.ops:
            names = {name for each in op.inputs.values() for name in each}
            (linear if op.type in _LINEAR else others).update(names)
    return frozenset(linear - others)


def declare_as_stored(program: Program, names: Collection[str]) -> None:
    """Give variables the dtype and dims of their weights."""
    variables = program.blocks[0].vars
    for name in names:
        weight, var = program.weights.get(name), variables.get(name)
        if weight is not None and var is not None and var.kind is VarKind.TENSOR:
            array = weight.array
            variables[name] = replace(var, dtype=DType.from_numpy(array.dtype), shape=array.shape)
