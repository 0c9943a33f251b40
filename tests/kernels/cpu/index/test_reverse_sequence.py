"""reverse_sequence against the host."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, floats, run, run_compiled


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("shape", [(4, 5), (5, 4, 3), (1, 1, 2), (5, 5, 2, 20)])
@pytest.mark.parametrize("time", [0, 1])
def test_the_first_elements_are_reversed(dtype: type[np.generic], shape: tuple[int, ...], time: int) -> None:
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    lengths = np.resize(np.array([shape[time], 0, 1, -1, 3]).clip(None, shape[time]), shape[1 - time])
    inputs, attrs = {"X": x, "SequenceLens": lengths}, {"batch_axis": 1 - time, "time_axis": time}

    (result,) = run_compiled("reverse_sequence", inputs, attrs)

    np.testing.assert_array_equal(result, bind_unprepared("reverse_sequence", inputs, attrs)())
    assert result.dtype == dtype
    # Batch before time and time before batch are the same but for the order of the axes.
    swapped = {"X": np.ascontiguousarray(x.swapaxes(0, 1)), "SequenceLens": lengths}
    (other,) = run_compiled("reverse_sequence", swapped, {"batch_axis": time, "time_axis": 1 - time})
    np.testing.assert_array_equal(result, other.swapaxes(0, 1))


def test_each_sequence_equals_numpy() -> None:
    x, lengths = floats(1, 7, 3, 2), np.array([7, 2, 4], np.int32)
    attrs = {"batch_axis": 1, "time_axis": 0}

    (result,) = run_compiled("reverse_sequence", {"X": x, "SequenceLens": lengths}, attrs)

    for n, length in enumerate(lengths):
        np.testing.assert_array_equal(result[:length, n], x[:length, n][::-1])
        np.testing.assert_array_equal(result[length:, n], x[length:, n])


def test_a_length_beyond_the_axis_is_refused() -> None:
    inputs = {"X": floats(0, 3, 2), "SequenceLens": np.array([1, 4])}
    bound = bind("reverse_sequence", inputs, {"batch_axis": 1, "time_axis": 0})
    assert bound.is_compiled
    with pytest.raises(IndexError, match="SequenceLens: expected 0 to 3, got 4"):
        bound()


def test_other_cases_are_left_to_the_host() -> None:
    x, lengths = floats(0, 3, 3, 3), np.array([1, 2, 3])
    inputs = {"X": x, "SequenceLens": lengths}
    assert not run("reverse_sequence", inputs, {"batch_axis": 2, "time_axis": 0})[1]
    attrs = {"batch_axis": 1, "time_axis": 0}
    assert not run("reverse_sequence", {"X": x[:, :, :0], "SequenceLens": lengths}, attrs)[1]
