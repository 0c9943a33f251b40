"""Rarer modules, and functions whose weights are operands, equal formulas or their modules."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 4, 6, 5)


def close(got: Array, wanted: Array) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("op", "params", "wanted"),
    [
        ("nn.Hardshrink", "lambd=0.3", np.where(np.abs(X) > 0.3, X, 0)),
        ("F.softshrink", "lambd=0.3", np.sign(X) * np.maximum(np.abs(X) - 0.3, 0)),
        ("nn.Tanhshrink", "", X - np.tanh(X)),
        ("nn.Threshold", "threshold=0.2 value=-3.0", np.where(X > 0.2, X, -3)),
        ("F.rrelu", "lower=0.1 upper=0.3", np.where(X > 0, X, 0.2 * X)),
        ("nn.Softmin", "dim=1", np.exp(-X) / np.exp(-X).sum(1, keepdims=True)),
        ("nn.AlphaDropout", "", X),
        ("torch.clone", "", X),
        ("torch.cumprod", "dim=3", np.cumprod(X, 3)),
    ],
)
def test_functions_of_one_tensor(op: str, params: str, wanted: Array) -> None:
    close(one_op(op, [X], params)[0], wanted)


@pytest.mark.parametrize(("kind", "mode"), [("Reflection", "reflect"), ("Replication", "edge")])
def test_borders(kind: str, mode: Literal["reflect", "edge"]) -> None:
    image = np.pad(X, [(0, 0), (0, 0), (3, 0), (1, 2)], mode=mode)
    line = np.pad(X[0], [(0, 0), (0, 0), (1, 2)], mode=mode)

    close(one_op(f"nn.{kind}Pad2d", [X], "padding=(1,2,3,0)")[0], image)
    close(one_op(f"nn.{kind}Pad1d", [X[0]], "padding=(1,2)")[0], line)


@pytest.mark.parametrize("kind", ["conv", "conv_transpose"])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions_of_operands_equal_the_modules(kind: str, axes: int) -> None:
    x = noise(1, 4, *(5, 6, 4)[:axes])
    w = noise(4, 2, *(3, 2, 3)[:axes], seed=1) if kind == "conv" else noise(4, 3, *(3, 2, 3)[:axes], seed=1)
    b = noise(4 if kind == "conv" else 6, seed=2)
    params = "stride=2 padding=1 dilation=1 groups=2"
    size = f"kernel_size=({','.join(map(str, w.shape[2:]))})"
    module = "nn.Conv" if kind == "conv" else "nn.ConvTranspose"
    (wanted,) = one_op(f"{module}{axes}d", [x], f"{params} {size} bias=True", {"weight": w, "bias": b})

    (got,) = one_op(f"F.{kind}{axes}d", [x, w, b], params, names=["input", "weight", "bias"])

    close(got, wanted)


def test_a_padding_by_name() -> None:
    w = noise(2, 4, 3, 2)
    (same,) = one_op("F.conv2d", [X, w], "padding=same", names=["input", "weight"])
    padded = np.pad(X, [(0, 0), (0, 0), (1, 1), (0, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (2, 3))
    close(same, np.einsum("nchwij,ocij->nohw", windows, w))


def test_norms_of_operands() -> None:
    w, b = noise(4, seed=1), noise(4, seed=2)
    mean, var = noise(4, seed=3), np.abs(noise(4, seed=4)) + 1
    rows = [p.reshape(1, 4, 1, 1) for p in (w, b, mean, var)]
    groups = X.reshape(2, 2, -1)
    centred = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-3)
    images = (X - X.mean((2, 3), keepdims=True)) / np.sqrt(X.var((2, 3), keepdims=True) + 1e-3)
    names = ["input", "weight", "bias"]

    close(
        one_op("F.group_norm", [X, w, b], "num_groups=2 eps=1e-3", names=names)[0],
        centred.reshape(X.shape) * rows[0] + rows[1],
    )
    close(one_op("F.instance_norm", [X, w, b], "eps=1e-3", names=names)[0], images * rows[0] + rows[1])
    close(
        one_op(
            "F.batch_norm",
            [X, mean, var, w, b],
            "eps=1e-3",
            names=["input", "running_mean", "running_var", "weight", "bias"],
        )[0],
        (X - rows[2]) / np.sqrt(rows[3] + 1e-3) * rows[0] + rows[1],
    )
    last = noise(5, seed=5)
    close(
        one_op("F.rms_norm", [X, last], "normalized_shape=(5) eps=1e-3", names=["input", "weight"])[0],
        X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-3) * last,
    )


def test_norms_by_the_statistics_of_the_input() -> None:
    axes = (0, 2, 3)
    batch = (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True) + 1e-3)
    close(one_op("F.batch_norm", [X], "eps=1e-3")[0], batch)
    mean, var = noise(4, seed=3), np.abs(noise(4, seed=4)) + 1
    images = (X - X.mean((2, 3), keepdims=True)) / np.sqrt(X.var((2, 3), keepdims=True) + 1e-3)
    names = ["input", "running_mean", "running_var"]
    close(one_op("F.instance_norm", [X, mean, var], "eps=1e-3", names=names)[0], images)


def test_shapes_of_other_tensors() -> None:
    other = np.zeros((8, 30), np.float32)

    close(one_op("Tensor.reshape_as", [X, other], "", names=["input", "other"])[0], X.reshape(8, 30))
    close(one_op("Tensor.new_full", [X], "size=(2,3) fill_value=1.5")[0], np.full((2, 3), 1.5, np.float32))
    close(one_op("torch.mv", [X[0, 0], X[0, 0, 0]], "")[0], X[0, 0] @ X[0, 0, 0])
