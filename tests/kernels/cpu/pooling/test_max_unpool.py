"""max_unpool against the host's kernel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run, run_compiled

ATTRS = {"ksize": [2, 2], "strides": [2, 2], "paddings": [0] * 4}


def indices(*shape: int) -> np.ndarray:
    """As many different elements of twice the size along the last two axes."""
    count = int(np.prod(shape))
    order = np.random.default_rng(0).permutation(4 * count)[:count]
    return order.reshape(shape)


@pytest.mark.parametrize("with_shape", [False, True])
def test_maxima_at_their_places(with_shape: bool) -> None:
    inputs = {"X": floats(0, 2, 3, 4, 6), "Indices": indices(2, 3, 4, 6)}
    shape = {"Shape": np.array([2, 3, 8, 12])} if with_shape else {}

    [out] = run_compiled("max_unpool", inputs | shape, ATTRS, shape)

    assert out.shape == (2, 3, 8, 12)


def test_the_last_element_of_equal_indices_remains() -> None:
    x = floats(0, 1, 1, 4)
    attrs = {"ksize": [2], "strides": [2], "paddings": [0, 0]}

    [out] = run_compiled("max_unpool", {"X": x, "Indices": np.array([[[3, 1, 3, 0]]])}, attrs)

    np.testing.assert_array_equal(out, [[[x[0, 0, 3], x[0, 0, 1], 0, x[0, 0, 2], 0, 0, 0, 0]]])


@pytest.mark.parametrize("index", [-1, 16])
def test_an_index_outside_of_the_output_is_refused(index: int) -> None:
    inputs = {"X": floats(0, 1, 1, 2, 2), "Indices": np.full((1, 1, 2, 2), index)}
    bound = bind("max_unpool", inputs, ATTRS)

    with pytest.raises(IndexError, match=f"Indices: expected 0 to 15, got {index}"):
        bound()
    assert bound.is_compiled


@pytest.mark.parametrize("case", ["larger", "int32"])
def test_other_sizes_and_indices_are_left_to_the_host(case: str) -> None:
    inputs = {"X": floats(0, 2, 3, 4, 6), "Indices": indices(2, 3, 4, 6)}
    shape = {"Shape": np.array([2, 3, 9, 13])} if case == "larger" else {}
    if case == "int32":
        inputs["Indices"] = inputs["Indices"].astype(np.int32)

    assert not run("max_unpool", inputs | shape, ATTRS, shape)[1]
