"""rotary_embedding: pairs rotated by an angle, as complex numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("width", [0, 4])
@pytest.mark.parametrize("cached", [False, True])
def test_pairs_are_multiplied_by_complex_numbers(
    interleaved: bool, flat: bool, width: int, cached: bool
) -> None:
    batch, heads, rows, size = 2, 3, 4, 6
    rotated = width or size
    positions = np.random.default_rng(1).integers(0, 7, (batch, rows))
    table = noise(7, rotated // 2, seed=2)
    angles = table if cached else table[positions]
    x = noise(batch, heads, rows, size)
    wanted = x.copy()
    for b, h, r in np.ndindex(batch, heads, rows):
        for pair in range(rotated // 2):
            i, j = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + rotated // 2)
            number = complex(x[b, h, r, i], x[b, h, r, j]) * np.exp(1j * table[positions[b, r], pair])
            wanted[b, h, r, i], wanted[b, h, r, j] = number.real, number.imag
    inputs = {"X": x, "CosCache": np.cos(angles), "SinCache": np.sin(angles)}
    if cached:
        inputs["PositionIds"] = positions
    if flat:
        inputs["X"], wanted = (a.transpose(0, 2, 1, 3).reshape(batch, rows, -1) for a in (x, wanted))
    attrs = {"interleaved": interleaved, "rotary_embedding_dim": width, "num_heads": heads if flat else 0}

    near(checked("rotary_embedding", inputs, attrs), [wanted])
