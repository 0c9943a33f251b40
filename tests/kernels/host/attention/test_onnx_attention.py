"""attention: query by query, key by key."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

OUTPUTS = {"Out": 1, "PresentKey": 1, "PresentValue": 1, "Scores": 1}
BATCH, HEADS, SHARED, ROWS, COLUMNS, SIZE, WIDTH = 2, 4, 2, 3, 5, 6, 3
Q = noise(BATCH, HEADS, ROWS, SIZE)
K = noise(BATCH, SHARED, COLUMNS, SIZE, seed=1)
V = noise(BATCH, SHARED, COLUMNS, WIDTH, seed=2)
PAST = {"PastKey": noise(BATCH, SHARED, 2, SIZE, seed=3), "PastValue": noise(BATCH, SHARED, 2, WIDTH, seed=4)}


def expected(arrays: dict[str, Array], attrs: dict[str, Any]) -> list[Array]:
    q, k, v = arrays["Q"], arrays["K"], arrays["V"]
    past = arrays["PastKey"].shape[2] if "PastKey" in arrays else 0
    keys = np.concatenate([arrays["PastKey"], k], 2) if past else k
    values = np.concatenate([arrays["PastValue"], v], 2) if past else v
    batch, heads, rows, size = q.shape
    columns = keys.shape[2]
    out, shown = np.zeros((batch, heads, rows, v.shape[3])), np.zeros((batch, heads, rows, columns))
    for b, h, i in np.ndindex(batch, heads, rows):
        group = h * keys.shape[1] // heads
        lengths = arrays.get("KeyLengths")
        place = i + (past if past else 0 if lengths is None else int(lengths[b]) - rows)
        if attrs.get("causal_lower_right"):
            place = i + columns - rows
        stages: list[list[float]] = [[], [], []]
        for j in range(columns):
            score = float(q[b, h, i].astype(float) @ keys[b, group, j]) * (attrs.get("scale") or size**-0.5)
            stages[0].append(score)
            if attrs.get("softcap"):
                score = attrs["softcap"] * math.tanh(score / attrs["softcap"])
            stages[1].append(score)
            seen = not (attrs.get("is_causal") and j > place)
            seen = seen and not (0 <= attrs.get("left_window_size", -1) < place - j)
            seen = seen and not (0 <= attrs.get("right_window_size", -1) < j - place)
            seen = seen and (lengths is None or j < int(lengths[b]))
            if "Mask" in arrays:
                mask = arrays["Mask"]
                short = j >= mask.shape[-1]
                item = (
                    None if short else np.broadcast_to(mask, (batch, heads, rows, mask.shape[-1]))[b, h, i, j]
                )
                if mask.dtype == bool:
                    seen = seen and bool(item)
                else:
                    seen = seen and not short
                    score += 0.0 if item is None else float(item)
            stages[2].append(score if seen else -math.inf)
        top = max(stages[2])
        powers = [math.exp(s - top) if top > -math.inf else 0.0 for s in stages[2]]
        more = math.exp(float(arrays["Sink"][h]) - top) if "Sink" in arrays else 0.0
        shares = [p / ((sum(powers) + more) or 1) for p in powers]
        shown[b, h, i] = [*stages, shares][attrs.get("qk_matmul_output_mode", 0)]
        out[b, h, i] = sum(share * values[b, group, j].astype(float) for j, share in enumerate(shares))
    return [out.astype(np.float32), keys, values, shown.astype(np.float32)]


def check(more: dict[str, Array], attrs: dict[str, Any]) -> None:
    arrays = {"Q": Q, "K": K, "V": V, **more}
    near(checked("attention", arrays, attrs, OUTPUTS), expected(arrays, attrs))


@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"is_causal": True},
        {"is_causal": True, "causal_lower_right": True},
        {"left_window_size": 1, "causal_lower_right": True},
        {"scale": 0.2, "softcap": 0.5},
        {"left_window_size": 1},
        {"right_window_size": 0, "left_window_size": 0},
    ],
)
@pytest.mark.parametrize("past", [{}, PAST], ids=["", "past"])
@pytest.mark.parametrize("mode", [0, 1, 3])
def test_all_attributes_agree_with_loops(attrs: dict[str, Any], past: dict[str, Array], mode: int) -> None:
    check(past, {**attrs, "qk_matmul_output_mode": mode})


@pytest.mark.parametrize(
    "shape", [(ROWS, COLUMNS), (HEADS, ROWS, COLUMNS), (BATCH, 1, ROWS, COLUMNS), (1, COLUMNS - 2)]
)
@pytest.mark.parametrize("kind", ["bool", "float32"])
def test_masks_agree_with_loops(shape: tuple[int, ...], kind: str) -> None:
    mask = noise(*shape, seed=7)

    check({"Mask": mask > 0 if kind == "bool" else mask}, {})


def test_a_fully_masked_query_gives_zeros() -> None:
    mask = np.ones((ROWS, COLUMNS), bool)
    mask[1] = False

    check({"Mask": mask}, {"qk_matmul_output_mode": 3})


@pytest.mark.parametrize("causal", [False, True])
def test_key_lengths_agree_with_loops(causal: bool) -> None:
    check({"KeyLengths": np.array([5, 3])}, {"is_causal": causal})


def test_sinks_take_a_share_of_each_head() -> None:
    check({"Sink": np.array([-3.0, 0.0, 1.5, 9.0], np.float32)}, {"qk_matmul_output_mode": 3})


def test_heads_may_share_one_axis() -> None:
    wanted = expected({"Q": Q, "K": K, "V": V}, {})
    flat = {
        s: a.transpose(0, 2, 1, 3).reshape(BATCH, a.shape[2], -1) for s, a in (("Q", Q), ("K", K), ("V", V))
    }

    found = checked("attention", flat, {"q_num_heads": HEADS, "kv_num_heads": SHARED}, OUTPUTS)

    wanted[0] = wanted[0].transpose(0, 2, 1, 3).reshape(BATCH, ROWS, -1)
    near(found, wanted)
