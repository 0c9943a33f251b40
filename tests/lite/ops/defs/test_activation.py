"""Activations keep shape and dtype."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ops import SCHEMAS, Trait, get_schema, ops_with
from lite.ops.clamp import Clamp
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["relu", "hard_swish", "softplus", "gelu"])
@pytest.mark.parametrize("shape", ["float32[n,3,?]", "float32[]", "float16[2,0]", "float32[*]"])
def test_shape_and_dtype_are_kept(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


def test_prelu_keeps_the_shape() -> None:
    assert (
        inferred("prelu", {"X": "float32[n,3,?]", "Alpha": "float32[3]"}, {"mode": "channel"})
        == "float32[n,3,?]"
    )


def test_defaults_are_those_of_paddle() -> None:
    assert {op: get_schema(op).attr_values({}) for op in ("hard_swish", "leaky_relu", "softplus")} == {
        "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
        "leaky_relu": {"alpha": 0.02},
        "softplus": {"beta": 1.0, "threshold": 20.0},
    }


def test_integers_are_refused() -> None:
    with pytest.raises(GraphError, match=r"tanh: slot X: .*got int32\[2\]"):
        inferred("tanh", {"X": "int32[2]"})


def test_prelu_refuses_an_unknown_mode() -> None:
    with pytest.raises(GraphError, match="prelu: attribute mode: expected one of"):
        inferred("prelu", {"X": "float32[2]", "Alpha": "float32[1]"}, {"mode": "some"})


@pytest.mark.parametrize("name", sorted(ops_with(Trait.ACTIVATION)))
def test_attributes_survive_their_encoding_as_numbers(name: str) -> None:
    schema = SCHEMAS[name]
    values = {key: False if attr.default is False else 0.25 for key, attr in schema.attrs.items()}

    assert schema.from_numbers(schema.numbers(values)) == values
    assert schema.from_numbers([]) == schema.attr_values({})


@pytest.mark.parametrize(
    ("name", "attrs", "function"),
    [
        ("relu", {}, lambda x: max(x, 0)),
        ("relu6", {"threshold": 2.0}, lambda x: min(max(x, 0), 2)),
        ("relu_clipped", {"Relu_clipped_coef": 1.5}, lambda x: min(max(x, 0), 1.5)),
        ("hard_sigmoid", {"slope": 0.3, "offset": 0.4}, lambda x: min(max(0.3 * x + 0.4, 0), 1)),
        (
            "hard_swish",
            {"threshold": 5.0, "scale": 4.0, "offset": 2.0},
            lambda x: x * min(max(x + 2, 0), 5) / 4,
        ),
    ],
)
def test_clamps_are_the_functions_of_their_ops(
    name: str, attrs: dict[str, AttrValue], function: Callable[[float], float]
) -> None:
    clamp = get_schema(name).clamp
    assert clamp is not None
    x = np.linspace(-4, 9, 27)

    for form in (clamp(**attrs), clamp(**attrs).folded()):
        np.testing.assert_allclose(values_of(form, x), [function(number) for number in x], rtol=1e-12)
    assert clamp(**attrs).is_clip == (name in ("relu", "relu6", "relu_clipped"))


def test_a_negative_factor_exchanges_the_bounds() -> None:
    clamp, x = Clamp(2.0, 1.0, -1.0, 3.0, gated=True, factor=-0.5), np.linspace(-4, 4, 17)

    np.testing.assert_allclose(values_of(clamp.folded(), x), values_of(clamp, x))


def test_bounds_out_of_order_fold_to_the_upper_bound() -> None:
    clamp, x = Clamp(low=0.0, high=-1.0), np.linspace(-4, 4, 17)

    assert clamp.folded() == Clamp(low=-1.0, high=-1.0)
    np.testing.assert_array_equal(values_of(clamp.folded(), x), values_of(clamp, x))


def values_of(clamp: Clamp, x: np.ndarray) -> np.ndarray:
    """The function, element by element, as `Clamp` defines it."""
    gate = np.minimum(np.maximum(clamp.slope * x + clamp.offset, clamp.low), clamp.high) * clamp.factor
    return gate * x if clamp.gated else gate
