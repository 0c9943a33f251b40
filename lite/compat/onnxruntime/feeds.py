"""Checks of a feed, with the messages of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.compat.onnxruntime.element_types import tensor_type
from lite.compat.onnxruntime.errors import InvalidArgument
from lite.compat.onnxruntime.model import NodeArg
from lite.compat.onnxruntime.values import OrtValue
from lite.errors import suggest
from lite.ir.types import Array

_ADVICE = " Please fix either the inputs/outputs or the model."


def checked_feed(feed: Mapping[str, Any], declared: Sequence[NodeArg]) -> dict[str, Any]:
    """The values of a feed as a predictor takes them.

    Raises `InvalidArgument` for an unknown name, and for a wrong dtype, rank or fixed size.
    """
    known = {value.name: value for value in declared}
    values: dict[str, Any] = {}
    for name, value in feed.items():
        if name not in known:
            raise InvalidArgument(f"Invalid input name: {name}{suggest(name, known)}")
        plain = value.shared() if isinstance(value, OrtValue) else value
        if isinstance(plain, np.ndarray):
            _check(known[name], plain)
        values[name] = plain
    return values


def _check(declared: NodeArg, array: Array) -> None:
    if not declared.type.startswith("tensor("):
        return
    actual = "tensor(string)" if array.dtype.kind in "OUS" else tensor_type(array.dtype)
    if actual != declared.type:
        raise InvalidArgument(
            f"Unexpected input data type. Actual: ({actual}) , expected: ({declared.type}); "
            f"input: {declared.name}"
        )
    # A shape without axes may also be one that the model does not declare.
    if not declared.shape:
        return
    if array.ndim != len(declared.shape):
        raise InvalidArgument(
            f"Invalid rank for input: {declared.name} Got: {array.ndim} Expected: {len(declared.shape)}"
            f"{_ADVICE}"
        )
    wrong = [
        f" index: {axis} Got: {size} Expected: {expected}\n"
        for axis, (size, expected) in enumerate(zip(array.shape, declared.shape, strict=True))
        if isinstance(expected, int) and size != expected
    ]
    if wrong:
        raise InvalidArgument(
            f"Got invalid dimensions for input: {declared.name} for the following indices\n"
            f"{''.join(wrong)}{_ADVICE}"
        )
