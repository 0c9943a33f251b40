"""Regions are given to devices."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import lite
from lite.ir.text import parse_graph, print_graph
from lite.ir.verify import verify
from lite.passes.base import PassContext, SubgraphOptions
from lite.passes.manager import PassManager
from lite.plugin.device import Limits
from lite.plugin.device.roster import DeviceRoster
from lite.subgraph.partition_rules import PartitionRules
from tests.support.fake_device import fake_device

PASS = "subgraph_pass"
CHAIN = """
graph main(%x: float32[2]) {
  %a = relu(X=%x) : float32[2]
  %b = sigmoid(X=%a) : float32[2]
  %c = tanh(X=%b) : float32[2]
  %d = relu(X=%c) : float32[2]
  %e = sigmoid(X=%d) : float32[2]
  return %e
}
"""


def run(text: str, devices: Sequence[str], spec: str = PASS, rules: str = "") -> tuple[str, PassContext]:
    """Run the pass and verify the graph; the graph's text and the context."""
    graph = parse_graph(text)
    roster = DeviceRoster()
    options = SubgraphOptions(roster.open_all(devices), roster, rules=PartitionRules.parse(rules))
    ctx = PassContext(subgraph=options)
    PassManager([spec], debug=True).run(graph, ctx)
    verify(graph)
    return print_graph(graph), ctx


def regions(ctx: PassContext) -> list[tuple[str, list[str]]]:
    return [(region.device, region.ops) for region in ctx.results.placed.regions]


def test_supported_ops_become_regions() -> None:
    with fake_device("relu", "sigmoid"):
        after, ctx = run(CHAIN, ["fake"])
    assert after == print_graph(
        parse_graph("""
        graph main(%x: float32[2]) {
          Outputs=%b = subgraph(Inputs=%x) {device="fake", region=0} : float32[2]
            graph fake_0(%x: float32[2]) {
              %a = relu(X=%x) : float32[2]
              %b = sigmoid(X=%a) : float32[2]
              return %b
            }
          %c = tanh(X=%b) : float32[2]
          Outputs=%e = subgraph(Inputs=%c) {device="fake", region=1} : float32[2]
            graph fake_1(%c: float32[2]) {
              %d = relu(X=%c) : float32[2]
              %e = sigmoid(X=%d) : float32[2]
              return %e
            }
          return %e
        }
        """)
    )
    assert [(region.inputs, region.outputs, region.bytes) for region in ctx.results.placed.regions] == [
        (["x"], ["b"], 16),
        (["c"], ["e"], 16),
    ]
    assert ctx.results.placed.detectors == {"levels": 2, "reverse_dfs": 2}


def test_without_devices_or_bridges_the_graph_does_not_change() -> None:
    before = print_graph(parse_graph(CHAIN))
    assert run(CHAIN, [])[0] == before
    with fake_device("conv2d"):
        after, ctx = run(CHAIN, ["fake"])
    assert (after, regions(ctx)) == (before, [])


def test_the_first_device_is_preferred_except_for_fewest_regions() -> None:
    with fake_device("relu", name="first"), fake_device("relu", "sigmoid", "tanh", name="second"):
        spec = f"{PASS}{{min_subgraph_ops=1}}"
        assert regions(run(CHAIN, ["first", "second"], spec)[1]) == [
            ("first", ["a"]),
            ("second", ["b", "c"]),
            ("first", ["d"]),
            ("second", ["e"]),
        ]
        spec = f"{PASS}{{min_subgraph_ops=1, placement=fewest_regions}}"
        assert regions(run(CHAIN, ["first", "second"], spec)[1]) == [("second", ["a", "b", "c", "d", "e"])]


def test_each_device_may_have_a_pass_of_its_own() -> None:
    with fake_device("relu", name="first"), fake_device("relu", "sigmoid", "tanh", name="second"):
        spec = f"{PASS}{{device=second}}"
        assert regions(run(CHAIN, ["first", "second"], spec)[1]) == [("second", ["a", "b", "c", "d", "e"])]


BRANCHES = """
graph main(%x: float32[2]) {
  %a = relu(X=%x) : float32[2]
  %b = relu(X=%x) : float32[2]
  %c = tanh(X=%a) : float32[2]
  %d = tanh(X=%b) : float32[2]
  return %c, %d
}
"""


def test_detectors_differ_on_siblings() -> None:
    with fake_device("relu"):
        _, ctx = run(BRANCHES, ["fake"])
        assert regions(ctx) == [("fake", ["a", "b"])]
        assert ctx.results.placed.detectors == {"levels": 1, "reverse_dfs": 2}
        spec = f"{PASS}{{detector=reverse_dfs, min_subgraph_ops=1}}"
        assert regions(run(BRANCHES, ["fake"], spec)[1]) == [("fake", ["a"]), ("fake", ["b"])]
        spec = f"{PASS}{{connected=true, min_subgraph_ops=1}}"
        assert regions(run(BRANCHES, ["fake"], spec)[1]) == [("fake", ["a"]), ("fake", ["b"])]


def test_regions_keep_the_limits_of_their_device() -> None:
    with fake_device("relu", "sigmoid", "tanh", limits=Limits(ops=2)):
        _, ctx = run(CHAIN, ["fake"])
    assert [len(ops) for _, ops in regions(ctx)] == [2, 2]
    assert [(device, count) for device, count, _ in ctx.results.placed.pruned] == [("fake", 1)]


def test_rules_of_the_user_come_first() -> None:
    with fake_device("relu", "sigmoid", "tanh"):
        _, ctx = run(CHAIN, ["fake"], rules="tanh")
    assert regions(ctx) == [("fake", ["a", "b"]), ("fake", ["d", "e"])]
    [op] = [op for op in ctx.results.placed.ops if op.placed_on == "host"]
    assert (op.name, op.why_not) == ("c", {"fake": "a partition rule puts it on the host"})


@pytest.mark.parametrize(
    ("op", "why"),
    [
        ("%b = print(In=%a) effect", "effect"),
        ("%b = sequence_reverse(X=%a)", "LoD"),
    ],
)
def test_ops_for_the_host_only_are_in_no_region(op: str, why: str) -> None:
    text = f"graph main(%x: float32[2,2]) {{ %a = relu(X=%x) : float32[2,2] {op} : float32[2,2] return %b }}"
    text = text.replace("%b = seq", "Y=%b = seq")
    with fake_device("relu", "print", "sequence_reverse"):
        _, ctx = run(text, ["fake"], f"{PASS}{{min_subgraph_ops=1}}")
    assert regions(ctx) == [("fake", ["a"])]
    assert why in ctx.results.placed.ops[1].why_not["fake"]


def test_bodies_of_loops_are_divided_too() -> None:
    text = """
    graph main(%go: bool[1], %x: float32[2]) {
      Out=%y = conditional_block(Cond=%go, Input=%x) {carried=1, is_scalar_condition=true} : float32[2]
        graph block1(%x: float32[2]) {
          %a = relu(X=%x) : float32[2]
          %x#1 = sigmoid(X=%a) : float32[2]
          return %x#1
        }
      return %y
    }
    """
    with fake_device("relu", "sigmoid"):
        _, ctx = run(text, ["fake"])
    assert [(region.block, region.ops) for region in ctx.results.placed.regions] == [("block1", ["a", "x#1"])]
    declined = {op.type: op.why_not for op in ctx.results.placed.ops if op.placed_on == "host"}
    assert "control flow" in declined["conditional_block"]["fake"]


def test_device_and_devices_exclude_each_other() -> None:
    with fake_device("relu"), pytest.raises(lite.ConfigError, match="not both"):
        run(CHAIN, ["fake"], f"{PASS}{{device=fake, devices=[fake]}}")


@pytest.mark.parametrize("devices", ["fake, fake", "fake, fake{version=two}"])
def test_a_device_that_is_named_twice_is_an_error(devices: str) -> None:
    with (
        fake_device("relu"),
        pytest.raises(lite.ConfigError, match="pass subgraph_pass: devices: 'fake' is named twice"),
    ):
        run(CHAIN, ["fake"], f"{PASS}{{devices=[{devices}]}}")


def test_a_pass_may_name_a_device_with_other_options() -> None:
    with fake_device("relu", "sigmoid"):
        _, ctx = run(CHAIN, ["fake"], f"{PASS}{{device=fake{{version=two}}}}")
        [device] = ctx.devices
    assert device.options.version == "two"
    assert ctx.subgraph.roster.text(device) == "fake{version=two}"
    assert ctx.subgraph.roster.open("fake{version=two}") is device
