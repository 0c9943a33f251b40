"""nll_loss, label by label."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

WEIGHT = np.array([0.5, 2, 1], np.float32)


def expected(x: Array, label: Array, weight: Array | None, ignored: int, reduction: str) -> list[Array]:
    loss, total = np.zeros(label.shape), 0.0
    for at in np.ndindex(label.shape):
        number = int(label[at])
        if number == ignored:
            continue
        factor = 1.0 if weight is None else float(weight[number])
        loss[at] = -factor * float(x[(at[0], number, *at[1:])])
        total += factor
    value = {"none": loss, "sum": loss.sum(), "mean": loss.sum() / total}[reduction]
    return [np.asarray(value, np.float32), np.asarray(total, np.float32)]


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("sizes", [(), (2,), (2, 3)])
def test_nll_loss_is_its_definition(reduction: str, weight: Array | None, sizes: tuple[int, ...]) -> None:
    x = noise(4, 3, *sizes)
    label = np.random.default_rng(1).integers(0, 3, (4, *sizes))
    label.flat[0] = -1
    inputs = {"X": x, "Label": label} | ({} if weight is None else {"Weight": weight})

    found = checked(
        "nll_loss", inputs, {"reduction": reduction, "ignore_index": -1}, {"Out": 1, "Total_weight": 1}
    )

    near(found, expected(x, label, weight, -1, reduction))


def test_the_mean_without_labels_is_nan() -> None:
    found = checked("nll_loss", {"X": noise(2, 3), "Label": np.array([-100, -100])})

    assert np.isnan(found[0])
