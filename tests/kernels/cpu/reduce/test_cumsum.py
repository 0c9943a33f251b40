"""cumsum against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from tests.kernels.cpu.bound import bind, close, floats, run_compiled
from tests.kernels.cpu.split_work import split_work

SHAPES = [
    ((7,), 0),
    ((6, 50), 1),
    ((3, 40), -1),
    ((2, 9, 5), 1),
    ((2, 5, 83), 1),
    ((11, 200), 0),
    ((1, 3, 64), -2),
]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("is_split", [False, True])
def test_sums_along_an_axis(
    shape: tuple[int, ...], axis: int, exclusive: bool, reverse: bool, is_split: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if is_split:
        split_work(monkeypatch)
    x = floats(1, *shape)
    attrs: dict[str, AttrValue] = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    [result] = run_compiled("cumsum", {"X": x}, attrs)
    ordered = np.flip(x, axis) if reverse else x
    expected = np.cumsum(ordered, axis, dtype=np.float64) - (ordered if exclusive else 0)
    close(result, np.flip(expected, axis) if reverse else expected)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float64"])
@pytest.mark.parametrize(("shape", "axis"), [((7,), 0), ((6, 50), 1), ((2, 9, 5), 1), ((11, 200), 0)])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_sums_of_other_types(
    dtype: str, shape: tuple[int, ...], axis: int, exclusive: bool, reverse: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Integers that are too large keep their low bits."""
    split_work(monkeypatch)
    x = (40 * floats(1, *shape)).astype(dtype)
    attrs: dict[str, AttrValue] = {"axis": axis, "exclusive": exclusive, "reverse": reverse}

    [result] = run_compiled("cumsum", {"X": x}, attrs)

    ordered = np.flip(x, axis) if reverse else x
    sums = np.cumsum(ordered, axis, dtype=x.dtype)
    expected = sums - ordered if exclusive else sums
    assert result.dtype == x.dtype
    np.testing.assert_allclose(
        result, np.flip(expected, axis) if reverse else expected, rtol=0, atol=1e-10 * (dtype == "float64")
    )


def test_an_axis_that_is_constant_and_a_tensor_seen_as_one_row() -> None:
    x = floats(1, 3, 4)
    for axis in (0, -1):
        inputs = {"X": x, "AxisTensor": np.array([axis], np.int64)}
        bound = bind("cumsum", inputs, {}, ["AxisTensor"])
        assert bound.is_compiled
        close(bound(), np.cumsum(x, axis, dtype=np.float64))
    [flat] = run_compiled("cumsum", {"X": x}, {"flatten": True})
    close(flat, np.cumsum(x, dtype=np.float64))


def test_the_host_runs_a_computed_axis_and_a_single_element() -> None:
    x = floats(1, 3, 4)
    assert not bind("cumsum", {"X": x, "AxisTensor": np.array([0], np.int64)}, {}).is_compiled
    assert not bind("cumsum", {"X": x[:1, :1]}, {"exclusive": True}).is_compiled
    assert not bind("cumsum", {"X": x[:0]}, {}).is_compiled
