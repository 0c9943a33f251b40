from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats


@pytest.mark.parametrize(
    ("op", "attributes", "nodes"),
    [
        ("silu", "", {"SIGMOID": 1, "MUL": 1}),
        ("swish", "", {"SIGMOID": 1, "MUL": 1}),
        ("swish", "beta=0.5", {"SIGMOID": 1, "MUL": 2}),
    ],
)
def test_nodes_and_the_hosts_results(op: str, attributes: str, nodes: dict[str, int]) -> None:
    text = f"graph main(%x: float32[2,5]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"

    check(opened(), text, 3 * floats(2, 5))
    assert nodes_of(text) == nodes


def test_an_empty_tensor_is_declined() -> None:
    text = "graph main(%x: float32[0,5]) { %y = silu(X=%x) return %y }"
    assert reason(text) == "X is float32[0,5]; the device has no tensors without elements"
