"""Constants of a size."""

from __future__ import annotations

import numpy as np

from tests.model_parser.pnnx.models import noise, run

X, Y = noise(2, 3), noise(2, 3, seed=1)


def test_constants_of_fixed_and_computed_sizes() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(?,3)f32",
        "pnnx.Expression e 1 1 x n expr=[size(@0,0),2]",
        "torch.full f 1 1 n a fill_value=1.5 dtype=torch.double $size=n",
        "torch.ones g 0 1 b size=(2,1) dtype=torch.long",
        "torch.zeros_like h 1 1 x c",
        "pnnx.Output o 3 0 a b c",
    ]
    outputs = run(lines, [X])
    for array, expected in zip(
        outputs, (np.full((2, 2), 1.5), np.ones((2, 1), np.int64), X * 0), strict=True
    ):
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)
