"""conv2d against its definition in double precision."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.kernels.cpu.convolution import winograd
from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import floats, run_nchw
from tests.kernels.cpu.split_work import split_work


@dataclass(frozen=True)
class Case:
    batch: int = 1
    channels: int = 5
    outputs: int = 7
    size: tuple[int, int] = (9, 11)
    kernel: tuple[int, int] = (3, 3)
    strides: tuple[int, int] = (1, 1)
    paddings: tuple[int, ...] = (0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1

    @property
    def attrs(self) -> dict[str, AttrValue]:
        return {
            "strides": list(self.strides),
            "paddings": list(self.paddings),
            "dilations": list(self.dilations),
            "groups": self.groups,
        }

    @property
    def x(self) -> Array:
        return floats(1, self.batch, self.channels, *self.size)

    @property
    def weight(self) -> Array:
        return floats(2, self.outputs, self.channels // self.groups, *self.kernel)

    def expected(self) -> Array:
        return convolution_of(self).copy()


@functools.cache
def convolution_of(case: Case) -> Array:
    """The convolution from its definition, in double precision."""
    top, bottom, left, right = case.paddings if len(case.paddings) == 4 else np.repeat(case.paddings, 2)
    x = np.pad(case.x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [d * (k - 1) + 1 for d, k in zip(case.dilations, case.kernel, strict=True)]
    outs = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, case.strides, strict=True)]
    y = np.zeros((case.batch, case.outputs, *outs))
    per_group, out_per_group = case.channels // case.groups, case.outputs // case.groups
    for o in range(case.outputs):
        first = o // out_per_group * per_group
        for i in range(case.kernel[0]):
            for j in range(case.kernel[1]):
                rows = i * case.dilations[0] + np.arange(outs[0]) * case.strides[0]
                columns = j * case.dilations[1] + np.arange(outs[1]) * case.strides[1]
                part = x[:, first : first + per_group][:, :, rows][..., columns]
                y[:, o] += np.tensordot(part, case.weight[o, :, i, j].astype(np.float64), ([1], [0]))
    return y


DENSE = {
    "pointwise": Case(kernel=(1, 1), channels=20, outputs=33, size=(13, 17)),
    "pointwise of few pixels": Case(kernel=(1, 1), channels=9, outputs=70, size=(1, 3)),
    "pointwise of a batch": Case(batch=3, kernel=(1, 1), channels=4, outputs=8),
    "strided pointwise": Case(kernel=(1, 1), channels=40, outputs=64, size=(14, 14), strides=(2, 2)),
    "padded pointwise": Case(kernel=(1, 1), paddings=(1, 2)),
    "no padding": Case(),
    "padding": Case(paddings=(1, 1), outputs=24, size=(10, 24)),
    "different paddings": Case(paddings=(2, 0, 1, 3)),
    "more padding than kernel": Case(paddings=(4, 5), size=(3, 2)),
    "strides": Case(strides=(2, 3), paddings=(1, 1), size=(12, 30)),
    "dilations": Case(dilations=(2, 3), paddings=(2, 3), size=(12, 30), outputs=17),
    "wide kernel": Case(kernel=(1, 7), paddings=(0, 3), size=(2, 31)),
    "tall kernel": Case(kernel=(5, 1), paddings=(2, 0)),
    "one column": Case(kernel=(3, 1), size=(9, 1)),
    "copied windows": Case(channels=33, outputs=64, size=(7, 7), paddings=(1, 1), strides=(2, 2)),
    "taps": Case(batch=2, channels=9, outputs=21, size=(9, 13), paddings=(6, 7), dilations=(6, 7)),
    "taps of one row": Case(outputs=50, size=(1, 40), paddings=(0, 24), kernel=(1, 3), dilations=(1, 24)),
    "strided taps": Case(size=(11, 12), strides=(2, 3), paddings=(6, 5, 7, 4), dilations=(6, 5)),
    "an even number of taps": Case(
        outputs=33, size=(7, 9), kernel=(2, 4), paddings=(0, 5, 4, 8), dilations=(5, 4)
    ),
    "copied windows with dilation": Case(
        channels=6, outputs=80, size=(9, 9), paddings=(2, 2), dilations=(2, 2)
    ),
    "long pixels": Case(kernel=(1, 1), channels=1100, outputs=33, size=(5, 7)),
    "long copied windows": Case(channels=130, outputs=64, size=(7, 7), paddings=(1, 1), strides=(2, 1)),
    "strips of one row": Case(channels=6, outputs=70, size=(1, 530), kernel=(1, 3), paddings=(0, 1)),
    "groups": Case(channels=12, outputs=40, groups=4, paddings=(1, 1), size=(8, 20)),
    "groups of one with more outputs": Case(channels=4, outputs=36, groups=4, paddings=(1, 1)),
    "many groups": Case(channels=32, outputs=64, groups=8, paddings=(1, 1), dilations=(1, 2), strides=(2, 1)),
}

WINOGRAD = {
    "tiles fit": Case(channels=16, outputs=16, size=(16, 16), paddings=(1, 1)),
    "tiles over the edge": Case(channels=17, outputs=30, size=(13, 22), paddings=(1, 1)),
    "without padding": Case(channels=24, outputs=24, size=(15, 18)),
    "wide padding": Case(channels=16, outputs=40, size=(9, 14), paddings=(2, 3)),
    "batch": Case(batch=3, channels=16, outputs=16, size=(8, 8), paddings=(1, 1)),
    "many tiles": Case(channels=64, outputs=20, size=(40, 50), paddings=(1, 1)),
}

MERGED = {
    "two filters for each channel": Case(channels=24, outputs=48, groups=24, paddings=(1, 1), size=(8, 20)),
    "few outputs": Case(channels=24, outputs=24, groups=6, paddings=(1, 1), size=(9, 14), strides=(2, 1)),
    "all in one": Case(channels=6, outputs=8, groups=2, kernel=(1, 1), size=(9, 14)),
    "one output": Case(channels=32, outputs=16, groups=16, kernel=(1, 3), dilations=(1, 2)),
}
"""Groups that are merged because their outputs do not fill a vector."""

DEPTHWISE = {
    "3×3": Case(channels=20, outputs=20, groups=20, paddings=(1, 1), size=(9, 20)),
    "5×5": Case(channels=16, outputs=16, groups=16, paddings=(2, 2), kernel=(5, 5), size=(4, 33)),
    "3×3 strides": Case(channels=35, outputs=35, groups=35, paddings=(1, 1), strides=(2, 2), size=(15, 40)),
    "5×5 strides": Case(
        channels=8, outputs=8, groups=8, paddings=(2, 2), kernel=(5, 5), strides=(2, 2), size=(9, 33)
    ),
    "strides down": Case(channels=17, outputs=17, groups=17, paddings=(1, 1), strides=(2, 1), size=(9, 20)),
    "strips of one row": Case(
        channels=20, outputs=20, groups=20, size=(1, 530), kernel=(1, 5), paddings=(0, 2)
    ),
    "dilations": Case(channels=9, outputs=9, groups=9, dilations=(2, 2), paddings=(2, 2), size=(12, 21)),
    "other kernel": Case(channels=40, outputs=40, groups=40, kernel=(2, 4), size=(6, 19)),
    "narrow": Case(batch=2, channels=20, outputs=20, groups=20, kernel=(5, 5), paddings=(2, 2), size=(5, 3)),
    "one channel": Case(channels=1, outputs=1, kernel=(1, 31), paddings=(0, 15), size=(1, 400)),
    "few channels": Case(
        channels=3, outputs=3, groups=3, kernel=(5, 3), paddings=(2, 0, 1, 3), size=(9, 61), strides=(2, 1)
    ),
    "few channels with dilation": Case(
        batch=2, channels=4, outputs=4, groups=4, dilations=(2, 3), paddings=(2, 4), size=(7, 30)
    ),
    "large windows of many channels": Case(
        channels=413, outputs=413, groups=413, kernel=(9, 9), paddings=(4, 4), size=(7, 11)
    ),
    "large dilated windows of many channels": Case(
        channels=280,
        outputs=280,
        groups=280,
        kernel=(7, 5),
        dilations=(1, 2),
        paddings=(3, 4),
        size=(5, 19),
        strides=(1, 2),
    ),
    "7×7": Case(channels=24, outputs=24, groups=24, kernel=(7, 7), paddings=(3, 3), size=(10, 30)),
}


def check(case: Case, op: str = "conv2d", tolerance: float = 1e-5, precision: str = "default") -> None:
    result, is_compiled = run_nchw(
        op, {"Input": case.x, "Filter": case.weight}, case.attrs, ["Filter"], precision=precision
    )
    expected = case.expected()
    assert is_compiled
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("case", DENSE.values(), ids=DENSE)
def test_dense_convolutions_follow_the_definition(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", MERGED.values(), ids=MERGED)
def test_merged_groups_follow_the_definition(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", DEPTHWISE.values(), ids=DEPTHWISE)
def test_depthwise_convolutions_follow_the_definition(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("most_at_once", [0, 1 << 30], ids=["in blocks", "at once"])
@pytest.mark.parametrize("case", WINOGRAD.values(), ids=WINOGRAD)
def test_winograd_convolutions_follow_the_definition(
    case: Case, most_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winograd, "_MOST_AT_ONCE", most_at_once)
    check(case, tolerance=1e-4)


def test_groups_with_few_outputs_run_on_the_host_in_strict_precision() -> None:
    case = Case(channels=12, outputs=28, groups=4, paddings=(1, 1))
    inputs = {"Input": case.x, "Filter": case.weight}
    result, is_compiled = run_nchw("conv2d", inputs, case.attrs, ["Filter"], precision="strict")
    assert not is_compiled
    np.testing.assert_allclose(result, case.expected(), rtol=0, atol=1e-5 * np.abs(result).max())


@pytest.mark.parametrize("most_at_once", [0, 1 << 30], ids=["in blocks", "at once"])
@pytest.mark.parametrize("case", [*DENSE.values(), *MERGED.values(), *DEPTHWISE.values(), *WINOGRAD.values()])
def test_work_split_among_threads_gives_the_same_result(
    case: Case, most_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winograd, "_MOST_AT_ONCE", most_at_once)
    with run_context(2):
        split_work(monkeypatch)
        check(case, tolerance=1e-4)


def test_strict_precision_is_more_accurate() -> None:
    case = WINOGRAD["many tiles"]
    expected = case.expected()
    errors = []
    for precision in ("default", "strict"):
        inputs = {"Input": case.x, "Filter": case.weight}
        result, _ = run_nchw("conv2d", inputs, case.attrs, ["Filter"], precision=precision)
        errors.append(np.abs(result - expected).max())
    assert 2 * errors[1] < errors[0]


EPILOGUES: dict[str, tuple[list[float], object]] = {
    "": ([], lambda v: v),
    "relu": ([], lambda v: np.maximum(v, 0)),
    "relu6": ([2.5], lambda v: np.clip(v, 0, 2.5)),
    "hard_swish": ([5.0, 4.0, 2.0], lambda v: v * np.clip(v + 2.0, 0, 5.0) / 4.0),
    "hard_sigmoid": ([0.3, 0.4], lambda v: np.clip(0.3 * v + 0.4, 0, 1)),
    "sigmoid": ([], lambda v: 1 / (1 + np.exp(-v))),
    "swish": ([1.5], lambda v: v / (1 + np.exp(-1.5 * v))),
    "leaky_relu": ([0.1], lambda v: np.where(v < 0, 0.1 * v, v)),
    "tanh": ([], np.tanh),
}

ALGORITHMS = {
    "pointwise": DENSE["pointwise"],
    "pointwise of few pixels": DENSE["pointwise of few pixels"],
    "strips": DENSE["strips of one row"],
    "segments": DENSE["padding"],
    "copied": DENSE["copied windows"],
    "long copied": DENSE["long copied windows"],
    "long pixels": DENSE["long pixels"],
    "groups": DENSE["groups"],
    "taps": DENSE["taps"],
    "depthwise": DEPTHWISE["3×3"],
    "narrow depthwise": DEPTHWISE["narrow"],
    "depthwise strips": DEPTHWISE["strips of one row"],
    "winograd": WINOGRAD["tiles over the edge"],
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("activation", EPILOGUES)
@pytest.mark.parametrize("case", ALGORITHMS.values(), ids=ALGORITHMS)
def test_every_epilogue_follows_the_definition(
    case: Case, activation: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if threads == 2:
        split_work(monkeypatch)
    plain = case.expected()
    bias, residual = floats(3, case.outputs), floats(4, *plain.shape)
    scale, shift = floats(5, case.outputs), floats(6, case.outputs)
    params, function = EPILOGUES[activation]
    attrs = {**case.attrs, "activation": activation, "activation_params": params}
    inputs = {"Input": case.x, "Filter": case.weight, "Bias": bias}
    for more in (
        {},
        {"ResidualData": residual},
        {"ResidualData": residual, "PostScale": scale, "PostShift": shift},
    ):
        with run_context(threads):
            result, is_compiled = run_nchw(
                "conv2d", {**inputs, **more}, attrs, ["Filter", "Bias", "PostScale", "PostShift"]
            )
        assert callable(function)
        expected = function(plain + bias[:, None, None] + (residual if "ResidualData" in more else 0))
        if "PostScale" in more:
            expected = expected * scale[:, None, None] + shift[:, None, None]
        assert is_compiled
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


COMPUTED = {**DENSE, **DEPTHWISE, **WINOGRAD}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", COMPUTED.values(), ids=COMPUTED)
def test_computed_filters_are_packed_in_each_run(
    case: Case, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if threads == 2:
        split_work(monkeypatch)
    expected = case.expected()
    residual = floats(4, *expected.shape)
    inputs = {"Input": case.x, "Filter": case.weight, "ResidualData": residual}
    with run_context(threads):
        result, is_compiled = run_nchw("conv2d", inputs, {**case.attrs, "activation": "relu"})
    expected = np.maximum(expected + residual, 0)
    assert is_compiled == (case.groups in (1, case.channels) or case.outputs // case.groups >= 8)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("constants", [["Filter", "Bias"], ["Filter"], ["Bias"]])
def test_other_activations_and_computed_biases_run_on_the_host(constants: Sequence[str]) -> None:
    case = replace(DENSE["padding"], outputs=4)
    inputs = {"Input": case.x, "Filter": case.weight, "Bias": floats(3, 4)}
    name = "softplus" if "Bias" in constants else ""
    result, is_compiled = run_nchw("conv2d", inputs, {**case.attrs, "activation": name}, constants)
    expected = case.expected() + inputs["Bias"][:, None, None]
    expected = np.logaddexp(expected, 0) if name else expected
    assert not is_compiled
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_relu_of_nan_is_nan() -> None:
    x = np.full((1, 1, 1, 16), np.nan, np.float32)
    attrs: dict[str, AttrValue] = {"activation": "relu"}
    result, _ = run_nchw(
        "conv2d", {"Input": x, "Filter": np.ones((1, 1, 1, 1), np.float32)}, attrs, ["Filter"]
    )
    assert np.isnan(result).all()


@pytest.mark.parametrize(
    ("size", "dilation", "pad", "stride"),
    [(5, 6, 6, 1), (5, 4, 4, 1), (4, 9, 18, 2), (6, 6, [3, 9, 12, 0], 1), (3, 8, 8, 3)],
)
@pytest.mark.parametrize("groups", [1, 16])
def test_taps_in_the_padding_are_left_out(
    size: int, dilation: int, pad: int | list[int], stride: int, groups: int
) -> None:
    pads = pad if isinstance(pad, list) else [pad, pad]
    attrs = {"dilations": [dilation] * 2, "paddings": pads, "strides": [stride] * 2, "groups": groups}
    inputs = {"Input": floats(0, 1, 16, size, size + 1), "Filter": floats(1, 16, 16 // groups, 3, 3)}

    _, is_compiled = run_nchw("conv2d", inputs, attrs, ["Filter"])

    assert is_compiled
