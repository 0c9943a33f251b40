"""cumprod, and cumsum with an axis that is a tensor."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.host.checked import checked, filled, same


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("as_slot", [False, True])
@pytest.mark.parametrize(("op", "attr"), [("cumprod", "dim"), ("cumsum", "axis")])
@pytest.mark.parametrize("axis", [0, -1])
def test_cumprod_multiplies_preceding_elements(
    op: str, attr: str, axis: int, as_slot: bool, reverse: bool, exclusive: bool
) -> None:
    x = np.random.default_rng(1).integers(1, 4, (3, 4)).astype(np.int64)

    def element(*at: int) -> int:
        line, n = (x[:, at[1]] if axis == 0 else x[at[0]]).tolist(), at[axis]
        part = line[n + exclusive :] if reverse else line[: n + 1 - exclusive]
        return math.prod(part) if op == "cumprod" else sum(part)

    attrs = {"exclusive": exclusive, "reverse": reverse, **({} if as_slot else {attr: axis})}
    (got,) = checked(op, {"X": x, **({"AxisTensor": np.array(axis)} if as_slot else {})}, dict(attrs))

    same(got, filled((3, 4), np.int64, element))


@pytest.mark.parametrize(("op", "first"), [("cumprod", 1), ("cumsum", 0)])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_cumprod_of_one_element(shape: tuple[int, ...], op: str, first: int) -> None:
    attrs = {"exclusive": True, **({"keep_single": False} if op == "cumsum" else {})}

    (got,) = checked(op, {"X": np.full(shape, 5, np.float32)}, dict(attrs))

    same(got, np.full(shape, first, np.float32))
