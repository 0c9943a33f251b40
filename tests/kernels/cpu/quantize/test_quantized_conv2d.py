"""quantized_conv2d of the target cpu against its definition in integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from lite.ir.types import Array, Layout
from lite.kernels.host.activation.activation import activate
from lite.ops import get_schema
from lite.ops.image_layout import array_into
from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import bind, floats, run_nchw
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


@dataclass(frozen=True)
class Case:
    batch: int = 1
    channels: int = 8
    outputs: int = 12
    size: tuple[int, int] = (9, 11)
    kernel: tuple[int, int] = (3, 3)
    stride: int = 1
    padding: int = 1
    dilation: int = 1
    is_depthwise: bool = False

    @property
    def groups(self) -> int:
        return self.channels if self.is_depthwise else 1

    def attrs(self, zero: int) -> dict[str, object]:
        return {
            "strides": [self.stride] * 2,
            "paddings": [self.padding] * 2,
            "dilations": [self.dilation] * 2,
            "groups": self.groups,
            "zero_point": zero,
        }


CASES = {
    "pointwise": Case(kernel=(1, 1), padding=0, channels=20, outputs=33),
    "pointwise of few channels": Case(kernel=(1, 1), padding=0, channels=3, outputs=70),
    "strided pointwise": Case(kernel=(1, 1), padding=0, stride=2),
    "padding": Case(batch=2, outputs=24),
    "tiles": Case(channels=24, outputs=24, size=(21, 26)),
    "tiles of a batch": Case(batch=3, channels=16, outputs=37, size=(14, 19), padding=0),
    "tiles with wide padding": Case(channels=32, outputs=16, size=(20, 23), padding=2),
    "one channel": Case(channels=1, outputs=5, kernel=(5, 3)),
    "dilation": Case(dilation=2, channels=5, size=(13, 12)),
    "stride": Case(stride=2, channels=16, outputs=40, kernel=(3, 1)),
    "one pixel": Case(size=(1, 1), channels=6),
    "depthwise": Case(is_depthwise=True, channels=24, outputs=24, size=(12, 21)),
    "depthwise of few channels": Case(is_depthwise=True, channels=5, outputs=5, kernel=(5, 5), padding=2),
    "strided depthwise": Case(is_depthwise=True, channels=17, outputs=17, stride=2, size=(15, 30)),
    "dilated depthwise": Case(is_depthwise=True, channels=9, outputs=9, dilation=2, padding=2),
    "depthwise on a narrow image": Case(is_depthwise=True, channels=9, outputs=9, size=(7, 3)),
}


def sums_of(case: Case, x: Array, weight: Array, zero: int) -> Array:
    """The sums of products from their definition, in int64."""
    p, s, d = case.padding, case.stride, case.dilation
    padded = np.pad(x.astype(np.int64) - zero, ((0, 0), (0, 0), (p, p), (p, p)))
    outs = [(n - (d * (k - 1) + 1)) // s + 1 for n, k in zip(padded.shape[2:], case.kernel, strict=True)]
    y = np.zeros((case.batch, case.outputs, *outs), np.int64)
    for i in range(case.kernel[0]):
        for j in range(case.kernel[1]):
            part = padded[:, :, i * d :: s, j * d :: s][:, :, : outs[0], : outs[1]]
            taps = weight[:, :, i, j].astype(np.int64)
            if case.is_depthwise:
                y += part * taps[:, 0, None, None]
            else:
                y += np.tensordot(part, taps, ([1], [1])).transpose(0, 3, 1, 2)
    return y


def numbers(case: Case) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, (case.batch, case.channels, *case.size), np.uint8)
    weight = rng.integers(-128, 128, (case.outputs, case.channels // case.groups, *case.kernel), np.int8)
    return x, weight, (rng.random(case.outputs) * 1e-3).astype(np.float32), floats(4, case.outputs)


def check(case: Case, zero: int) -> None:
    x, weight, scale, bias = numbers(case)
    inputs = {"Input": x, "Filter": weight, "Scale": scale, "Bias": bias}
    y, is_compiled = run_nchw("quantized_conv2d", inputs, case.attrs(zero), ["Filter", "Scale", "Bias"])
    sums = sums_of(case, x, weight, zero)
    expected = sums * scale.astype(np.float64)[:, None, None] + bias[:, None, None]
    assert is_compiled
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("zero", [0, 37, 255])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_results_are_the_scaled_sums(case: Case, zero: int) -> None:
    check(case, zero)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_threads_share_the_work(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    with run_context(2):
        split_work(monkeypatch)
        check(case, 37)


@pytest.mark.parametrize("activation", ["", "relu6", "hard_swish"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_epilogue_ends_in_bytes(case: Case, activation: str) -> None:
    x, weight, scale, bias = numbers(case)
    sums = sums_of(case, x, weight, 130)
    residual, factor = floats(5, *sums.shape), floats(6, case.outputs)
    inputs = {
        "Input": x,
        "Filter": weight,
        "Scale": scale,
        "Bias": bias,
        "ResidualData": residual,
        "PostScale": factor,
    }
    params = list(get_schema(activation).numbers({})) if activation else []
    attrs = case.attrs(130) | {
        "activation": activation,
        "activation_params": params,
        "out_scale": 0.25,
        "out_zero_point": 90,
    }
    y, is_compiled = run_nchw("quantized_conv2d", inputs, attrs, ["Filter", "Scale", "Bias", "PostScale"])
    real = sums * scale.astype(np.float64)[:, None, None] + bias[:, None, None] + residual
    real = activate(activation, real, params) * factor[:, None, None] / 0.25
    assert is_compiled
    assert y.dtype == np.uint8
    # A sum of rounded numbers may fall on the other side of a half.
    assert np.abs(y.astype(int) - np.clip(np.rint(real) + 90, 0, 255)).max() <= 1
    far = np.abs(real - np.floor(real) - 0.5) > 1e-3
    np.testing.assert_array_equal(y[far], np.clip(np.rint(real) + 90, 0, 255)[far])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bytes_are_looked_up_in_a_table(case: Case) -> None:
    x, weight, scale, _ = numbers(case)
    inputs = {"Input": x, "Filter": weight, "Scale": scale}
    attrs = case.attrs(130) | {"out_scale": 0.25, "out_zero_point": 90}
    constants = ["Filter", "Scale", "Table"]
    plain, _ = run_nchw("quantized_conv2d", inputs, attrs, constants)
    table = np.random.default_rng(1).permutation(256).astype(np.uint8)
    bound = bind(
        "quantized_conv2d",
        {slot: array_into(each, Layout.NHWC) for slot, each in inputs.items()} | {"Table": table},
        attrs,
        constants,
        layout=Layout.NHWC,
    )
    assert bound.is_compiled
    np.testing.assert_array_equal(array_into(bound(), Layout.NCHW), table[plain])


@pytest.mark.parametrize("name", ["padding", "tiles"])
def test_float_result_with_a_curved_activation(name: str) -> None:
    case = CASES[name]
    x, weight, scale, bias = numbers(case)
    inputs = {"Input": x, "Filter": weight, "Scale": scale, "Bias": bias}
    attrs = case.attrs(8) | {"activation": "swish", "activation_params": [1.0]}
    y, is_compiled = run_nchw("quantized_conv2d", inputs, attrs, ["Filter", "Scale", "Bias"])
    v = sums_of(case, x, weight, 8) * scale.astype(np.float64)[:, None, None] + bias[:, None, None]
    assert is_compiled
    np.testing.assert_allclose(y, v / (1 + np.exp(-v)), rtol=1e-6, atol=1e-5)


def test_groups_and_curved_activations_before_bytes_run_on_the_host() -> None:
    x, weight, scale, _ = numbers(Case(channels=8, outputs=8))
    inputs = {"Input": x, "Filter": weight[:, :4], "Scale": scale}
    _, is_compiled = run_nchw(
        "quantized_conv2d", inputs, {"paddings": [1, 1], "groups": 2}, ["Filter", "Scale"]
    )
    assert not is_compiled
    attrs = {"paddings": [1, 1], "activation": "swish", "activation_params": [1.0], "out_scale": 0.5}
    inputs["Filter"] = weight
    _, is_compiled = run_nchw("quantized_conv2d", inputs, attrs, ["Filter", "Scale"])
    assert not is_compiled
