from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats, integers


def text(op: str, attributes: str, dtype: str = "float32") -> str:
    return f"graph main(%x: {dtype}[2,3]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("op", "attributes", "nodes"),
    [
        ("scale", "scale=2.0, bias=0.5", {"MUL": 1, "ADD": 1}),
        ("scale", "scale=2.0, bias=0.5, bias_after_scale=false", {"MUL": 1, "ADD": 1}),
        ("scale", "scale=3.0", {"MUL": 1}),
        ("scale", "bias=1.0", {"ADD": 1}),
        ("scale", "", {}),
        ("dropout", "dropout_prob=0.25", {"MUL": 1}),
        ("dropout", 'dropout_prob=0.25, dropout_implementation="upscale_in_train"', {}),
    ],
)
def test_nodes_and_the_hosts_results(op: str, attributes: str, nodes: dict[str, int]) -> None:
    check(opened(), text(op, attributes), floats(2, 3))
    assert nodes_of(text(op, attributes)) == nodes


@pytest.mark.parametrize("attributes", ["scale=2.7, bias=1.9", "scale=2.7, bias=1.9, bias_after_scale=false"])
def test_integers_have_whole_factors(attributes: str) -> None:
    check(opened(), text("scale", attributes, "int32"), integers(2, 3))


@pytest.mark.parametrize("attributes", ['activation="relu"', "scale1=2.0", "bias1=1.0"])
def test_what_is_fused_for_the_host_is_declined(attributes: str) -> None:
    assert reason(text("scale", attributes)) == (
        "an activation or a second scale is fused into it; the device has no such operator"
    )


def test_a_mask_is_declined() -> None:
    given = "graph main(%x: float32[2]) { %y, Mask=%m = dropout(X=%x) return %y, %m }"
    assert reason(given) == "output Mask is read; the device computes Out alone"
