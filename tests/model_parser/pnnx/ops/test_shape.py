"""Shapes and the order of axes equal numpy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 3, 4)
CASES: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "Tensor.expand": ("sizes=(5,-1,3,4)", lambda x: np.broadcast_to(x, (5, 2, 3, 4))),
    "Tensor.permute": ("dims=(2,0,-2)", lambda x: x.transpose(2, 0, 1)),
    "Tensor.repeat": ("sizes=(2,1,3)", lambda x: np.tile(x, (2, 1, 3))),
    "Tensor.reshape": ("shape=(4,-1)", lambda x: x.reshape(4, 6)),
    "nn.Flatten": ("", lambda x: x.reshape(2, 12)),
    "nn.Unflatten": ("dim=2 unflattened_size=(2,2)", lambda x: x.reshape(2, 3, 2, 2)),
    "torch.flatten": ("start_dim=0 end_dim=1", lambda x: x.reshape(6, 4)),
    "torch.flip": ("dims=(0,-1)", lambda x: np.flip(x, (0, 2))),
    "torch.roll": ("shifts=(5) dims=None", lambda x: np.roll(x, 5)),
    "torch.transpose": ("dim0=-1 dim1=0", lambda x: x.transpose(2, 1, 0)),
    "torch.unsqueeze": ("dim=-1", lambda x: x[..., None]),
}


@pytest.mark.parametrize("op", CASES)
def test_operators_equal_numpy(op: str) -> None:
    params, function = CASES[op]
    np.testing.assert_array_equal(one_op(op, [X], params)[0], function(X))


def test_squeeze_with_and_without_an_axis() -> None:
    x = X[:1, :, :1]
    np.testing.assert_array_equal(one_op("torch.squeeze", [x])[0], x.squeeze())
    np.testing.assert_array_equal(one_op("torch.squeeze", [x], "dim=2")[0], x[..., 0])
    np.testing.assert_array_equal(one_op("torch.squeeze", [x], "dim=1")[0], x)


def test_permute_with_an_axis_twice_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"parameter dims: expected every axis once, got \[0, 0, 1\]"):
        one_op("Tensor.permute", [X], "dims=(0,0,1)")


def test_transpose_of_a_scalar() -> None:
    (output,) = one_op("torch.t", [np.array(2.0, np.float32)])
    np.testing.assert_array_equal(output, np.float32(2))
