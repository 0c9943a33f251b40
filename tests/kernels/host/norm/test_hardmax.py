"""hardmax: a one at the first maximum."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.checked import checked, filled, same


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_1_at_the_first_maximum(axis: int) -> None:
    x = np.random.default_rng(1).integers(0, 3, (3, 4, 5)).astype(np.float32)

    def element(*at: int) -> bool:
        line = [float(v) for v in np.moveaxis(x, axis, -1)[tuple(np.delete(at, axis))]]
        return line.index(max(line)) == at[axis]

    (got,) = checked("hardmax", {"X": x}, {"axis": axis})

    same(got, filled(x.shape, np.float32, element))


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_scalars_and_empty_tensors_give_ones(shape: tuple[int, ...]) -> None:
    (got,) = checked("hardmax", {"X": np.full(shape, 7, np.float32)})

    same(got, np.ones(shape, np.float32))
