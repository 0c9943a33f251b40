"""Activations keep shape and dtype."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ops import get_schema
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["relu", "hard_swish", "softplus", "gelu"])
@pytest.mark.parametrize("shape", ["float32[n,3,?]", "float32[]", "float16[2,0]", "float32[*]"])
def test_same_as_x(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


def test_prelu() -> None:
    assert (
        inferred("prelu", {"X": "float32[n,3,?]", "Alpha": "float32[3]"}, {"mode": "channel"})
        == "float32[n,3,?]"
    )


def test_defaults_are_paddles() -> None:
    assert {op: get_schema(op).attr_values({}) for op in ("hard_swish", "leaky_relu", "softplus")} == {
        "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
        "leaky_relu": {"alpha": 0.02},
        "softplus": {"beta": 1.0, "threshold": 20.0},
    }


def test_integers_are_refused() -> None:
    with pytest.raises(GraphError, match=r"tanh: slot X: .*got int32\[2\]"):
        inferred("tanh", {"X": "int32[2]"})


def test_unknown_prelu_mode() -> None:
    with pytest.raises(GraphError, match="prelu: attribute mode: expected one of"):
        inferred("prelu", {"X": "float32[2]", "Alpha": "float32[1]"}, {"mode": "some"})
