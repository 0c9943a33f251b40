"""Regions that are too small or do not pay are returned to the host with figures; others never are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lite.subgraph.prune import FREE_BYTES, prune_reason
from lite.subgraph.region_work import RegionWork

CONV = RegionWork("npu", ["conv2d", "relu"], macs=10**8, bytes=4 * 10**6)


def reason(region: RegionWork, **options: float) -> str:
    return prune_reason(region, **options) or ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ops", "least", "expected"),
    [
        (["relu"], 2, "1 of its 1 ops compute (relu), fewer than the 2 required"),
        (["relu"], 1, ""),
        (["reshape2"], 1, "0 of its 1 ops compute (reshape2), fewer than the 1 required"),
        (["reshape2"], 0, ""),
        (
            ["shape", "relu", "reshape2", "squeeze2", "assign", "unsqueeze2"],
            2,
            "1 of its 6 ops compute (shape, relu, reshape2, squeeze2, assign, …), fewer than the 2 required",
        ),
        (["relu", "transpose2"], 2, ""),
        (["an_unknown_op", "relu"], 2, ""),
    ],
)
def test_a_region_needs_enough_ops_that_compute(ops: list[str], least: int, expected: str) -> None:
    assert reason(RegionWork("npu", ops), min_subgraph_ops=least) == expected


@pytest.mark.parametrize(
    ("macs", "size", "expected"),
    [
        (0, FREE_BYTES, ""),
        (
            0,
            FREE_BYTES + 1,
            (
                "16,777,217 bytes cross its boundary for 0 multiply-accumulate operations, 0 for each byte; "
                "at least 0.05 are required"
            ),
        ),
        (
            4_900_000,
            100_000_000,
            (
                "100,000,000 bytes cross its boundary for 4,900,000 multiply-accumulate operations, 0.049 "
                "for each byte; at least 0.05 are required"
            ),
        ),
        (5_000_000, 100_000_000, ""),
        (None, 100_000_000, ""),
        (0, None, ""),
    ],
)
def test_a_region_must_compute_enough_for_the_bytes_that_it_moves(
    macs: int | None, size: int | None, expected: str
) -> None:
    assert reason(replace(CONV, macs=macs, bytes=size)) == expected


def test_the_caller_sets_the_thresholds() -> None:
    assert reason(CONV, free_bytes=0) == ""
    assert reason(CONV, free_bytes=0, min_macs_per_byte=26).endswith(
        "25 for each byte; at least 26 are required"
    )


def test_the_lightest_convolution_of_a_large_image_pays() -> None:
    pixels = 4000 * 4000
    depthwise = RegionWork("npu", ["depthwise_conv2d", "relu"], macs=9 * 3 * pixels, bytes=2 * 4 * 3 * pixels)
    assert reason(depthwise) == ""


@pytest.mark.parametrize(
    ("host", "device", "expected"),
    [
        (2e-3, 1e-3, ""),
        (
            1.4e-3,
            1e-3,
            "the host takes 1.4 ms for it, npu 1 ms and 0.5 ms more for the boundary (4,000,000 bytes)",
        ),
        (1e-3, None, ""),
        (None, 1.0, ""),
    ],
)
def test_measured_seconds_decide(host: float | None, device: float | None, expected: str) -> None:
    assert reason(replace(CONV, host_seconds=host, device_seconds=device)) == expected


def test_measured_seconds_keep_a_region_without_macs() -> None:
    region = replace(CONV, macs=0, bytes=10**9, host_seconds=1.0, device_seconds=0.1)
    assert reason(region) == ""
    assert reason(region, bandwidth=1e9).startswith("the host takes 1e+03 ms")
