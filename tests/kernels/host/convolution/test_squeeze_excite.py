"""squeeze_excite against its definition, element by element."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.checked import checked


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("rest", [(), ("SqueezeBias", "ExciteBias"), ("GateScale", "GateShift")])
def test_squeeze_excite_is_its_definition(rest: tuple[str, ...]) -> None:
    x, squeeze, excite = numbers(2, 3, 4, 5), numbers(2, 3, 1, 1), numbers(3, 2, 1, 1)
    more = {
        "SqueezeBias": numbers(2),
        "ExciteBias": numbers(3),
        "GateScale": numbers(3),
        "GateShift": numbers(1),
    }
    given = {slot: more[slot] for slot in rest}
    (out,) = checked(
        "squeeze_excite",
        {"X": x, "Squeeze": squeeze, "Excite": excite, **given},
        {"squeeze_activation": "relu", "excite_activation": "hard_sigmoid", "excite_params": [0.2, 0.5]},
    )
    expected = np.zeros_like(x)
    for n in range(2):
        inner = [
            max(
                sum(squeeze[s, c, 0, 0] * x[n, c].mean() for c in range(3))
                + given.get("SqueezeBias", np.zeros(2))[s],
                0,
            )
            for s in range(2)
        ]
        for c in range(3):
            sums = (
                sum(excite[c, s, 0, 0] * inner[s] for s in range(2)) + given.get("ExciteBias", np.zeros(3))[c]
            )
            gate = min(max(0.2 * sums + 0.5, 0), 1)
            gate = gate * given.get("GateScale", np.ones(3))[c] + given.get("GateShift", np.zeros(1))[0]
            expected[n, c] = x[n, c] * gate
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


def test_activations_are_optional_in_double_precision() -> None:
    x = numbers(1, 2, 3, 3).astype(np.float64)
    squeeze, excite = numbers(1, 2, 1, 1).astype(np.float64), numbers(2, 1, 1, 1).astype(np.float64)
    (out,) = checked("squeeze_excite", {"X": x, "Squeeze": squeeze, "Excite": excite})
    gate = excite[:, 0, 0, 0] * (squeeze[0, :, 0, 0] @ x[0].mean(axis=(1, 2)))
    np.testing.assert_allclose(out[0], x[0] * gate[:, None, None], rtol=1e-12)
