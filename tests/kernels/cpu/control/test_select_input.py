"""select_input of two branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run_compiled


@pytest.mark.parametrize("dtype", [np.float32, np.bool_, np.int64, np.float16])
@pytest.mark.parametrize("number", [0, 1])
def test_the_input_that_the_mask_names(dtype: Any, number: int) -> None:
    inputs = [np.asarray(floats(n, 3, 5) > 0, dtype) for n in range(2)]
    mask = np.array([number], np.int32)
    (result,) = run_compiled("select_input", {"Mask": mask, "X": inputs}, {})
    np.testing.assert_array_equal(result, inputs[number])
    assert not np.may_share_memory(result, inputs[number])


def test_a_mask_of_no_input_is_refused() -> None:
    bound = bind("select_input", {"Mask": np.array([2], np.int32), "X": [floats(0, 3), floats(1, 3)]}, {})
    assert bound.is_compiled
    with pytest.raises(IndexError, match="Mask: expected -2 to 1, got 2"):
        bound()


def test_a_branch_that_did_not_run_has_no_value() -> None:
    x = floats(0, 3)
    bound = bind("select_input", {"Mask": np.array([0], np.int32), "X": [x, x]}, {})
    np.testing.assert_array_equal(bound.function([x, None], np.array([0], np.int32)), x)
    with pytest.raises(ValueError, match="no op computed the value at 0, which Mask selects"):
        bound.function([None, x], np.array([0], np.int32))


def test_inputs_of_two_shapes_are_left_to_the_host() -> None:
    inputs = [floats(0, 3), floats(1, 4)]
    assert not bind("select_input", {"Mask": np.array([1], np.int32), "X": inputs}, {}).is_compiled
