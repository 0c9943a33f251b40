"""linear_attention and causal_conv: one number at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

BATCH, STEPS, HEADS, SHARED, SIZE, WIDTH = 2, 3, 4, 2, 3, 5


def attended(arrays: dict[str, Array], scale: float, rule: str) -> list[Array]:
    q = arrays["Q"].reshape(BATCH, STEPS, HEADS, SIZE).astype(float)
    k = arrays["K"].reshape(BATCH, STEPS, SHARED, SIZE).astype(float)
    v = arrays["V"].reshape(BATCH, STEPS, SHARED, WIDTH).astype(float)
    state = (
        arrays["PastState"].astype(float) if "PastState" in arrays else np.zeros((BATCH, SHARED, SIZE, WIDTH))
    )
    out = np.zeros((BATCH, STEPS, HEADS, WIDTH))
    for b, t in np.ndindex(BATCH, STEPS):
        for h in range(SHARED):
            if rule.startswith("gated"):
                decay = arrays["Decay"].reshape(BATCH, STEPS, SHARED, -1)[b, t, h]
                for i in range(SIZE):
                    state[b, h, i] *= math.exp(decay[i % len(decay)])
            value = v[b, t, h]
            if rule.endswith("delta"):
                beta = arrays["Beta"].reshape(BATCH, STEPS, -1)[b, t]
                value = beta[h % len(beta)] * (value - k[b, t, h] @ state[b, h])
            state[b, h] += np.outer(k[b, t, h], value)
        for h in range(HEADS):
            out[b, t, h] = (scale or SIZE**-0.5) * q[b, t, h] @ state[b, h * SHARED // HEADS]
    return [out.reshape(BATCH, STEPS, -1).astype(np.float32), state.astype(np.float32)]


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("wide", [False, True], ids=["one decay for a head", "one for a row"])
def test_each_update_rule_is_its_recurrence(rule: str, past: bool, wide: bool) -> None:
    arrays = {
        "Q": noise(BATCH, STEPS, HEADS * SIZE),
        "K": noise(BATCH, STEPS, SHARED * SIZE, seed=1),
        "V": noise(BATCH, STEPS, SHARED * WIDTH, seed=2),
    }
    if past:
        arrays["PastState"] = noise(BATCH, SHARED, SIZE, WIDTH, seed=3)
    if rule.startswith("gated"):
        arrays["Decay"] = -abs(noise(BATCH, STEPS, SHARED * (SIZE if wide else 1), seed=4))
    if rule.endswith("delta"):
        arrays["Beta"] = abs(noise(BATCH, STEPS, SHARED if wide else 1, seed=5))
    scale = 0.4 if past else 0.0
    attrs = {"q_num_heads": HEADS, "kv_num_heads": SHARED, "scale": scale, "update_rule": rule}

    found = checked("linear_attention", arrays, attrs, {"Out": 1, "PresentState": 1})  # type: ignore[arg-type]

    near(found, attended(arrays, scale, rule))


@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("activation", ["none", "silu", "swish"])
@pytest.mark.parametrize("taps", [1, 3])
def test_causal_conv_continues_from_its_state(past: bool, bias: bool, activation: str, taps: int) -> None:
    arrays = {"X": noise(2, 3, 4), "Filter": noise(3, 1, taps, seed=1)}
    before = noise(2, 3, taps - 1, seed=2) if past else np.zeros((2, 3, taps - 1), np.float32)
    arrays |= {"PastState": before} if past else {}
    arrays |= {"Bias": noise(3, seed=3)} if bias else {}
    whole = np.concatenate([before, arrays["X"]], 2)
    wanted = np.zeros((2, 3, 4), np.float32)
    for n, c, at in np.ndindex(2, 3, 4):
        total = float(arrays["Bias"][c]) if bias else 0.0
        total += sum(float(whole[n, c, at + tap] * arrays["Filter"][c, 0, tap]) for tap in range(taps))
        wanted[n, c, at] = total if activation == "none" else total / (1 + math.exp(-total))

    found = checked("causal_conv", arrays, {"activation": activation}, {"Out": 1, "PresentState": 1})

    near(found, [wanted, whole[:, :, 4:]])
