"""Operators: what the hardware computes, each with its type check and its microprogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lite.bridges.sim_npu.sdk.attributes import Attribute, Attributes
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType

Infer = Callable[[Sequence[TensorType], Attributes], list[TensorType]]
"""The types of a node's outputs; raises `NpuError` for a node that the hardware cannot run."""

Execute = Callable[[Sequence[Array], Attributes], Sequence[Array]]
"""The outputs of a node."""


@dataclass(frozen=True)
class Operator:
    """One kind of node.

    It takes from `fewest` to `most` tensors; those at the positions `constants` are constants.  An attribute
    whose default is None is required.
    """

    kind: str
    fewest: int
    most: int
    infer: Infer
    execute: Execute
    defaults: dict[str, Attribute | None]
    constants: frozenset[int] = frozenset()


OPERATORS: dict[str, Operator] = {}
"""Every operator by its kind."""


def operator(
    kind: str,
    inputs: int | tuple[int, int],
    infer: Infer,
    execute: Execute,
    constants: Sequence[int] = (),
    **defaults: Attribute | None,
) -> None:
    """Add an operator to the table."""
    fewest, most = (inputs, inputs) if isinstance(inputs, int) else inputs
    OPERATORS[kind] = Operator(kind, fewest, most, infer, execute, defaults, frozenset(constants))


def same_type(inputs: Sequence[TensorType], _: Attributes) -> list[TensorType]:
    """One output like the first input, which is float32."""
    require_float(inputs)
    return [inputs[0]]


def require_float(inputs: Sequence[TensorType]) -> None:
    """Raise `NpuError` for any element type but float32."""
    for type_ in inputs:
        if type_.dtype != "float32":
            raise NpuError(Status.INVALID_DTYPE, f"{type_} (supported: float32)")


def require_axis(type_: TensorType, axis: int) -> None:
    """Raise `NpuError` for an axis that the tensor lacks; axes count from the front."""
    if not 0 <= axis < len(type_.shape):
        raise NpuError(Status.INVALID_ATTRIBUTE, f"{type_} has no axis {axis}")
