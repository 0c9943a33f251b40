"""dft, stft and mel_weight_matrix from their definitions."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise, reference


def transformed(line: Array, length: int, sign: int) -> list[complex]:
    """Sums over a line that is cut or filled with zeros."""
    items = [complex(*item) for item in line[:length]] + [0j] * (length - len(line))
    return [
        sum((v * cmath.exp(sign * 2j * math.pi * k * n / length) for n, v in enumerate(items)), 0j)
        / (length if sign > 0 else 1)
        for k in range(length)
    ]


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize("length", [None, 3, 7])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("as_slot", [False, True])
def test_dft_agrees_with_a_sum(
    parts: int, axis: int, length: int | None, inverse: bool, as_slot: bool
) -> None:
    x = noise(4, 5, parts)
    size = length or x.shape[axis]
    lines = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1, parts)
    columns = [transformed(lines[:, n], size, 1 if inverse else -1) for n in range(lines.shape[1])]
    values = np.array(columns).T
    wanted = np.moveaxis(np.stack([values.real, values.imag], -1)[:, :, :], 0, axis if axis >= 0 else 1)
    inputs = {"X": x} | ({} if length is None else {"Length": np.array(length)})
    inputs |= {"Axis": np.array(axis)} if as_slot else {}

    (found,) = checked("dft", inputs, {"inverse": inverse, **({} if as_slot else {"axis": axis})})

    near([found], [wanted.astype(np.float32)])


@pytest.mark.parametrize("length", [6, 7])
def test_one_side_has_half_of_the_frequencies(length: int) -> None:
    x = noise(2, length, 1)
    whole = [transformed(row, length, -1)[: length // 2 + 1] for row in x]
    half = np.array([[(v.real, v.imag) for v in row] for row in whole], np.float32)

    (found,) = checked("dft", {"X": x}, {"onesided": True})
    near([found], [half])
    (back,) = checked("dft", {"X": half, "Length": np.array(length)}, {"onesided": True, "inverse": True})
    near([back], [x])


@pytest.mark.parametrize("window", [False, True])
@pytest.mark.parametrize(("parts", "onesided"), [(1, False), (1, True), (2, False)])
def test_stft_agrees_with_a_sum(parts: int, window: bool, onesided: bool) -> None:
    x, weights = noise(2, 11, parts), noise(4, seed=1) if window else np.ones(4, np.float32)
    frames = []
    for begin in range(0, 11 - 4 + 1, 3):
        piece = x[:, begin : begin + 4] * weights[:, None]
        frames.append([transformed(row, 4, -1)[: 3 if onesided else 4] for row in piece])
    values = np.array(frames).transpose(1, 0, 2)
    wanted = np.stack([values.real, values.imag], -1).astype(np.float32)
    inputs = {"X": x, "FrameStep": np.array(3)}
    inputs |= {"Window": weights} if window else {"FrameLength": np.array(4)}

    near(checked("stft", inputs, {"onesided": onesided}), [wanted])


@pytest.mark.parametrize("numbers", [(8, 16, 8192, 0.0, 4096.0), (4, 64, 16000, 20.0, 7000.0)])
def test_mel_weight_matrix_agrees_with_onnx(numbers: tuple[float, ...]) -> None:
    slots = ("NumMelBins", "DftLength", "SampleRate", "LowerEdgeHertz", "UpperEdgeHertz")
    kinds = ("int64", "int64", "int64", "float32", "float32")
    inputs = {s: np.array(n, kind) for s, n, kind in zip(slots, numbers, kinds, strict=True)}
    code = DType.FLOAT64.code

    (found,) = checked("mel_weight_matrix", inputs, {"output_datatype": code})

    (wanted,) = reference("MelWeightMatrix", list(inputs.values()), output_datatype=11)
    near([found], [wanted])
