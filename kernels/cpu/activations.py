"""Activations as ops of their own: "relu", "sigmoid" and the like."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation import activation_with
from lite.kernels.cpu.arrays import packed
from lite.plugin.kernel import Array, kernel
from lite.plugin.share import PER_ELEMENT, share

_COST = 2
"""How much more than a copy it costs."""


def _register(op: str, attributes: tuple[str, ...]) -> None:
    def activation(X: Array, *, out: Array | None = None, **attrs: Any) -> Array:
        from lite.kernels.cpu.compiled.rows import activate

        found = activation_with(op, attrs)
        result = np.empty(X.shape, np.float32) if out is None else out
        x, y = packed(X).reshape(-1), result.reshape(-1)

        def part(begin: int, end: int) -> None:
            activate(x, y, found.flags, found.parameters, begin, end)

        share(x.size, _COST * PER_ELEMENT * x.size, part)
        return result

    # The registry reads from the signature which attributes a kernel takes.
    parameters = [inspect.Parameter("X", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in (*attributes, "out")]
    activation.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    kernel(op, "cpu", dtype=DType.FLOAT32)(activation)


for _op, _attributes in (
    ("relu", ()),
    ("relu6", ("threshold",)),
    ("hard_sigmoid", ("slope", "offset")),
    ("hard_swish", ("threshold", "scale", "offset")),
    ("sigmoid", ()),
    ("silu", ()),
    ("swish", ("beta",)),
    ("tanh", ()),
    ("gelu", ("approximate",)),
    ("leaky_relu", ("alpha",)),
    ("elu", ("alpha",)),
):
    _register(_op, _attributes)
