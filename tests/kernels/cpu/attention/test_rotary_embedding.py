"""rotary_embedding against the kernel of the host."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run, run_compiled


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize(("size", "width"), [(6, 0), (9, 4), (80, 0), (80, 34)])
@pytest.mark.parametrize("has_positions", [False, True])
def test_rotations(interleaved: bool, rank: int, size: int, width: int, has_positions: bool) -> None:
    batch, heads, rows, pairs = 2, 3, 5, (width or size) // 2
    size = size if width else 2 * pairs
    x = floats(1, batch, heads, rows, size) if rank == 4 else floats(1, batch, rows, heads * size)
    table = (11, pairs) if has_positions else (batch, rows, pairs)
    inputs = {"X": x, "CosCache": floats(2, *table), "SinCache": floats(3, *table)}
    if has_positions:
        inputs["PositionIds"] = np.random.default_rng(4).integers(-11, 11, (batch, rows))
    attrs = {
        "interleaved": interleaved,
        "rotary_embedding_dim": width,
        "num_heads": heads if rank == 3 else 0,
    }

    run_compiled("rotary_embedding", inputs, attrs)


@pytest.mark.parametrize("position", [11, -12])
def test_a_position_beyond_the_cache_is_an_error(position: int) -> None:
    inputs = {"X": floats(1, 1, 2, 3, 8), "CosCache": floats(2, 11, 4), "SinCache": floats(3, 11, 4)}
    inputs["PositionIds"] = np.array([[0, position, 1]])

    bound = bind("rotary_embedding", inputs, {})

    assert bound.is_compiled
    with pytest.raises(IndexError, match=rf"PositionIds: expected -11 to 10, got {position}"):
        bound()


def test_the_host_rotates_by_other_positions() -> None:
    inputs = {"X": floats(1, 1, 2, 3, 8), "CosCache": floats(2, 11, 4), "SinCache": floats(3, 11, 4)}
    inputs["PositionIds"] = np.array([[0, 4, 1]], np.int32)

    _, is_compiled = run("rotary_embedding", inputs, {})

    assert not is_compiled
