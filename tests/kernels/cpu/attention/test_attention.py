"""fused_attention and fused_qkv_attention against the kernels of the host."""

from __future__ import annotations

import numpy as np
import pytest

from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import bind, floats, run, run_compiled
from tests.kernels.cpu.split_work import split_work

ROWS = [1, 3, 4, 7, 50, 130]
"""Queries that are read as they are, fewer than a tile, and of several blocks."""


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(("keys", "depth", "size"), [(1, 8, 8), (9, 5, 70), (64, 64, 64), (197, 40, 33)])
@pytest.mark.parametrize("has_mask", [False, True])
def test_by_head(rows: int, keys: int, depth: int, size: int, has_mask: bool) -> None:
    inputs = {
        "Q": floats(1, 2, 3, rows, depth),
        "K": floats(2, 2, 3, keys, depth),
        "V": floats(3, 2, 3, keys, size),
    }
    if has_mask:
        inputs["Mask"] = floats(4, 2, 1, rows, keys)
    run_compiled("fused_attention", inputs, {"scale": 0.3})


MASKS = [(20,), (6, 20), (1, 20), (4, 6, 20), (2, 1, 1, 20), (2, 4, 1, 20), (1, 1, 6, 20), (2, 4, 6, 20)]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("rows", [6, 2])
def test_masks(mask: tuple[int, ...], rows: int) -> None:
    mask = tuple(rows if n == 6 else n for n in mask)
    q, k, v = floats(1, 2, 4, rows, 16), floats(2, 2, 4, 20, 16), floats(3, 2, 4, 20, 16)
    given = np.where(floats(4, *mask) > 0.5, -np.inf, floats(5, *mask)).astype(np.float32)
    given[..., 0] = 0.0
    run_compiled("fused_attention", {"Q": q, "K": k, "V": v, "Mask": given}, {"scale": 0.25})


@pytest.mark.parametrize(
    ("q", "k", "v"),
    [
        ((5, 8), (9, 8), (9, 8)),
        ((3, 5, 8), (1, 9, 8), (3, 9, 8)),
        ((2, 4, 5, 8), (2, 1, 9, 8), (1, 4, 9, 8)),
        ((2, 4, 5, 8), (9, 8), (4, 9, 8)),
        ((3, 2, 4, 5, 8), (3, 2, 4, 9, 8), (3, 2, 1, 9, 8)),
    ],
)
def test_leading_axes(q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...]) -> None:
    run_compiled("fused_attention", {"Q": floats(1, *q), "K": floats(2, *k), "V": floats(3, *v)}, {})


@pytest.mark.parametrize("rows", [1, 5, 60])
@pytest.mark.parametrize("has_mask", [False, True])
def test_heads_in_rows(rows: int, has_mask: bool) -> None:
    mask = {"Mask": floats(4, 2, 1, 1, rows)} if has_mask else {}
    run_compiled("fused_qkv_attention", {"QKV": floats(1, 2, rows, 72), **mask}, {"head_number": 3})
    inputs = {"Q": floats(1, 2, 11, 36), "K": floats(2, 2, rows, 36), "V": floats(3, 2, rows, 60)}
    run_compiled("fused_attention", {**inputs, **mask}, {"head_number": 3, "scale": 2.0})


@pytest.mark.parametrize(
    ("q", "k", "v", "mask"),
    [
        (3, 1, 1, None),
        (1, 3, 3, None),
        (1, 1, 3, None),
        (3, 1, 3, (3, 1, 1, 9)),
        (1, 1, 1, (3, 1, 5, 9)),
    ],
)
def test_samples_of_heads_in_rows_broadcast(q: int, k: int, v: int, mask: tuple[int, ...] | None) -> None:
    inputs = {"Q": floats(1, q, 5, 8), "K": floats(2, k, 9, 8), "V": floats(3, v, 9, 8)}
    given = {} if mask is None else {"Mask": floats(4, *mask)}
    run_compiled("fused_attention", {**inputs, **given}, {"head_number": 2})


@pytest.mark.parametrize("rows", [1, 12])
def test_large_scores_and_rows_without_keys(rows: int) -> None:
    q, k, v = 1e3 * floats(1, rows, 8), floats(2, 20, 8), floats(3, 20, 8)
    mask = np.zeros((rows, 20), np.float32)
    mask[-1] = -np.inf
    result = bind("fused_attention", {"Q": q, "K": k, "V": v, "Mask": mask}, {})()
    assert np.isnan(result[-1]).all()
    assert np.isfinite(result[:-1]).all()
    run_compiled("fused_attention", {"Q": q, "K": k, "V": v}, {"scale": -1.0})


@pytest.mark.parametrize("rows", [2, 12])
def test_rows_without_keys_are_0_with_nan_as_zero(rows: int) -> None:
    inputs = {"Q": floats(1, 2, rows, 24), "K": floats(2, 2, 20, 24), "V": floats(3, 2, 20, 24)}
    mask = np.where(floats(4, 2, 3, rows, 20) > 0.0, -np.inf, 0.0).astype(np.float32)
    mask[:, :, -1] = -np.inf
    attrs = {"head_number": 3, "nan_as_zero": True}
    result = bind("fused_attention", {**inputs, "Mask": mask}, attrs)()
    assert not result[:, -1].any()
    run_compiled("fused_attention", {**inputs, "Mask": mask}, attrs)
    packed = floats(1, 2, rows, 72)
    square = np.where(floats(4, rows, rows) > 0.0, -np.inf, 0.0).astype(np.float32)
    square[0] = -np.inf
    run_compiled("fused_qkv_attention", {"QKV": packed, "Mask": square}, attrs)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(("heads", "threads"), [(0, 1), (3, 1), (3, 2)])
def test_the_result_may_overwrite_q(rows: int, heads: int, threads: int) -> None:
    q, k, v = floats(1, 2, rows, 36), floats(2, 2, 50, 36), floats(3, 2, 50, 36)
    inputs = {"Q": q, "K": k, "V": v}
    attrs = {"head_number": heads, "scale": 0.3}
    expected = bind("fused_attention", inputs, attrs)()
    bound = bind("fused_attention", inputs, attrs, threads=threads)
    assert bound.is_compiled
    assert bound(out=q) is q
    np.testing.assert_array_equal(q, expected)


@pytest.mark.parametrize("causal", [False, True])
def test_threads_share_the_rows_of_a_head(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    q, k, v = floats(1, 1, 530, 24), floats(2, 1, 530, 24), floats(3, 1, 530, 24)
    mask = {"Mask": np.where(np.tri(530) > 0, 0, -np.inf).astype(np.float32)} if causal else {}
    with run_context(2):
        split_work(monkeypatch)
        run_compiled("fused_attention", {"Q": q, "K": k, "V": v, **mask}, {"head_number": 2})


def test_other_cases_are_left_to_the_host() -> None:
    q, k = floats(1, 2, 5, 8), floats(2, 2, 9, 8)
    assert not run("fused_attention", {"Q": q, "K": k, "V": k, "Mask": floats(3, 5, 1)}, {})[1]
    five = floats(1, 3, 2, 4, 5, 8)
    wide = {"Q": q, "K": k[:, :1], "V": k, "Mask": floats(3, 5, 9)}
    assert not run("fused_attention", wide, {"head_number": 2})[1]
    assert not run("fused_attention", {"Q": five, "K": five[:1], "V": five[:, :1]}, {})[1]
    assert not run("fused_attention", {"Q": q[:, :0], "K": k, "V": k}, {})[1]
