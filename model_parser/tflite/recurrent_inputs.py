"""The inputs of recurrent operators: constant weights in real numbers, states, sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.schema import ACTIVATIONS


def function(node: TfliteNode) -> str:
    """The name of the activation in the option."""
    number = node.integer("function")
    return ACTIVATIONS.get(number, str(number))


def weights(node: TfliteNode, position: int) -> Array:
    """A constant input in float32; quantised weights are dequantised."""
    array, quantisation = node.constant(position), node.input(position).quantisation
    if quantisation is None:
        if array.dtype.kind != "f":
            raise ModelParseError(
                f"input {position}: expected real or quantised weights, got {array.dtype} without a scale"
            )
        return array.astype(np.float32)
    return quantisation.real(array)


def optional_weights(node: TfliteNode, position: int) -> Array | None:
    """A constant input in float32, or None where it is absent."""
    return None if node.optional(position) is None else weights(node, position)


def start_with_zeros(node: TfliteNode, writer: GraphWriter, *positions: int) -> None:
    """Take the variable tensors of states, which are zeros at the start of a run.

    The interpreter keeps their values between runs; the program does not.  In control flow they would keep
    them between iterations, too, which is refused.
    """
    if writer.block.index:
        raise ModelParseError("an operator with variable tensors is not supported inside of control flow")
    for position in positions:
        tensor = node.input(position)
        if not tensor.is_variable:
            raise ModelParseError(
                f"input {position} ({tensor.name!r}): expected a variable tensor that no other operator uses"
            )
        tensor.is_variable = False
        writer.states.append(tensor.name)


def sequence(
    node: TfliteNode,
    writer: GraphWriter,
    position: int,
    rank: int,
    size: int,
    *,
    may_be_quantised: bool = False,
) -> str:
    """An input in float32 of that rank whose last axis has that size."""
    tensor = node.input(position)
    is_real = tensor.dtype is DType.FLOAT32 or (may_be_quantised and tensor.quantisation is not None)
    if not is_real or tensor.rank != rank or tensor.shape[-1] != size:
        raise ModelParseError(
            f"input {position} ({tensor.name!r}): expected float32 of rank {rank} with {size} features, got "
            f"{tensor.dtype}{list(tensor.shape)}"
        )
    return writer.real(tensor)


def expect_shape(what: str, array: Array | None, shape: Sequence[int]) -> None:
    """Raise `ModelParseError` for an array of another shape."""
    if array is not None and array.shape != tuple(shape):
        raise ModelParseError(f"{what}: expected the shape {list(shape)}, got {list(array.shape)}")


def write_directions(
    node: TfliteNode, writer: GraphWriter, forward: str, backward: str, *, is_merged: bool
) -> None:
    """Write the outputs of both directions: one after the other, or joined along the last axis."""
    if is_merged:
        writer.write(node, "concat", {"X": [forward, backward]}, {"axis": node.output().axis(-1)})
        return
    writer.write(node, "assign", {"X": forward})
    writer.write(node, "assign", {"X": backward}, position=1)
