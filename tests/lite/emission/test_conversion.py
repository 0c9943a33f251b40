"""Conversions as bridges, with a format whose graph is a list of words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lite.emission.attributes import require_integer, require_integers
from lite.emission.conversion import Context, Declined, FixedSizeBridge, Trial
from lite.emission.sizes import GUESS, sizes
from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.types import UNKNOWN, DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, Device
from tests.bridges.devices import SIM_NPU
from tests.bridges.region import region

Words = list[str]
RELU = "graph main(%x: float32[n,3]) {\n  %y = relu(X=%x)\n  return %y\n}\n"
RESHAPE = "graph main(%x: float32[6], %s: int32[2]) {\n  Out=%y = reshape2(X=%x, Shape=%s)\n  return %y\n}\n"


class _Trial(Trial[Words, str]):
    format = "Words"

    def read(self, value: Value) -> str:
        return value.label

    def dtype(self, tensor: str, value: Value) -> DType:
        return DType.INT8 if tensor == "bytes" else DType.FLOAT32


class _Bridge(FixedSizeBridge[Words, str]):
    def why_not_value(self, value: Value) -> str | None:
        return f"{value!r} is double" if value.dtype is DType.FLOAT64 else None

    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        trial = _Trial([], device)
        self.conversion(op, trial)
        return trial.why_not_outputs(op)


def _answer(conversion: Callable[[BridgeOp, Context[Words, str]], None], text: str = RELU) -> str | None:
    return _Bridge(conversion).why_not(BridgeOp(next(iter(region(text)))), SIM_NPU.open())


def _writes(tensor: str) -> Callable[[BridgeOp, Context[Words, str]], None]:
    def conversion(op: BridgeOp, ctx: Context[Words, str]) -> None:
        ctx.builder.append(ctx.input(op, "X"))
        ctx.output(op, tensor)

    return conversion


def _writes_nothing(op: BridgeOp, ctx: Context[Words, str]) -> None:
    assert ctx.optional(op, "X") == "x"


def _declines(op: BridgeOp, ctx: Context[Words, str]) -> None:
    raise Declined(f"{op.op} has no word")


def _needs_rank(op: BridgeOp, ctx: Context[Words, str]) -> None:
    assert op["X"].rank


def _needs_shape(op: BridgeOp, ctx: Context[Words, str]) -> None:
    require_integers(op, "shape", "Shape")


@pytest.mark.parametrize(
    ("conversion", "text", "answer"),
    [
        (_writes("floats"), RELU, None),
        (_writes("bytes"), RELU, "output Out is float32, and Words computes int8"),
        (_writes_nothing, RELU, "output Out is read, and Words does not compute it"),
        (_declines, RELU, "relu has no word"),
        (_needs_rank, RELU.replace("[n,3]", "[*]"), "the rank of an input is not known"),
        (_writes("floats"), RELU.replace("32[n,3]", "64[3]"), "%x is double"),
        (_needs_shape, RESHAPE, "shape is a tensor (Shape) whose numbers are not known"),
    ],
)
def test_the_conversion_on_trial_is_the_answer(
    conversion: Callable[[BridgeOp, Context[Words, str]], None], text: str, answer: str | None
) -> None:
    assert _answer(conversion, text) == answer


def test_a_format_of_fixed_sizes_does_not_convert_an_open_size() -> None:
    op = BridgeOp(next(iter(region(RELU))))
    with pytest.raises(CompileError, match="%x has a size that is not known before the run"):
        _Bridge(_writes("floats")).convert(op, _Trial([], SIM_NPU.open()))


def test_an_attribute_is_an_integer_where_no_tensor_replaces_it() -> None:
    text = "graph main(%x: float32[2,3]) {\n  %y = cumsum(X=%x) {axis=1}\n  return %y\n}\n"
    assert require_integer(BridgeOp(next(iter(region(text)))), "axis") == 1


def test_an_unknown_size_is_guessed() -> None:
    assert sizes(Meta(DType.FLOAT32, (2, "n", UNKNOWN))) == (2, GUESS, GUESS)
