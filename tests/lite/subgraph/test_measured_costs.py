"""Measured costs are found again by op and shapes."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import lite
from lite.ir.graph import Graph, Node
from lite.ir.text import parse_graph
from lite.plugin.device import Settings
from lite.plugin.device.opening import open_device
from lite.subgraph.mark import mark
from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts, OpKey, place_of
from tests.support.fake_device import fake_device
from tests.tools.tiny_model import X, tiny


def relu(shape: str) -> Node:
    (node,) = parse_graph(f"graph g(%x: float32[{shape}]) {{ %y = relu(X=%x) return %y }}")
    return node


def two() -> Graph:
    return parse_graph(
        "graph g(%x: float32[2,3]) { %a = relu(X=%x) : float32[2,3] "
        "%y = leaky_relu(X=%a) {alpha=0.5} return %y }"
    )


def test_a_key_has_the_type_attributes_and_shapes_of_an_op() -> None:
    first, second = two()
    keys = [OpKey.of(first), OpKey.of(second), OpKey.of(relu("2,3")), OpKey.of(relu("2,4"))]
    assert keys[0] == keys[2]
    assert keys[2].what == keys[3].what
    assert len({key.what for key in keys}) == 2
    text = "graph g(%x: float32[2,3]) { %y = leaky_relu(X=%x) {alpha=0.25} return %y }"
    (other,) = parse_graph(text)
    assert OpKey.of(other).what != keys[1].what


def test_unknown_sizes_fit_any_and_the_last_entry_counts() -> None:
    costs = MeasuredCosts()
    costs.enter(OpKey.of(relu("2,3")), "npu", 1.0)
    costs.enter(OpKey.of(relu("5,3")), "npu", 2.0)
    costs.enter(OpKey.of(relu("5,4")), "npu", 3.0)
    assert costs.seconds(OpKey.of(relu("2,3")), "npu") == 1.0
    assert costs.seconds(OpKey.of(relu("n,3")), "npu") == 2.0
    assert costs.seconds(OpKey.of(relu("n,m")), "npu") == 3.0
    assert costs.seconds(OpKey.of(relu("4,3")), "npu") is None
    assert costs.seconds(OpKey.of(relu("n,3,1")), "npu") is None
    assert costs.seconds(OpKey.of(relu("2,3")), "host") is None


def test_costs_survive_the_round_trip_through_a_file(tmp_path: Path) -> None:
    costs = MeasuredCosts()
    costs.enter(OpKey.of(relu("2,3")), "npu", 1.5e-6)
    costs.enter(OpKey.of(relu("2,3")), "host", 2.5e-6)
    (tmp_path / COSTS_FILE).write_text(costs.to_json())
    assert MeasuredCosts.read(tmp_path / COSTS_FILE) == costs


def test_a_missing_file_gives_no_costs_and_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert MeasuredCosts.read(tmp_path / COSTS_FILE) is None
    assert caplog.records == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2, "ops": []}', '{"format": 1, "ops": [{}]}', "7"]
)
def test_a_damaged_file_gives_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    (tmp_path / COSTS_FILE).write_text(text)
    assert MeasuredCosts.read(tmp_path / COSTS_FILE) is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_places_are_named_by_options_version_and_threads() -> None:
    with fake_device("relu"):
        names = [place_of(open_device(text), 1) for text in ("fake", "fake{version=two}")]
        names += [place_of(open_device("fake"), 2), place_of(None, 1), place_of(None, 2)]
    assert len(set(names)) == 5


def test_marks_contain_measured_costs() -> None:
    graph = two()
    first, second = graph
    costs = MeasuredCosts()
    with fake_device("relu"):
        device = open_device("fake", Settings())
        costs.enter(OpKey.of(first), place_of(device, 1), 3e-6)
        costs.enter(OpKey.of(first), place_of(None, 1), 5e-6)
        costs.enter(OpKey.of(second), place_of(device, 1), 7e-6)
        marks = mark(graph, [device], costs=costs)
    assert marks.ops[first].cost == {"fake": 3e-6, "host": 5e-6}
    assert marks.ops[second].cost == {}, "the device does not take it"


@pytest.mark.parametrize(("device", "host", "regions"), [(1.0, 1e-6, 0), (1e-6, 1.0, 1)])
def test_placement_by_cost_prefers_the_faster_place(
    tmp_path: Path, device: float, host: float, regions: int
) -> None:
    lite.save_program(tiny(), tmp_path / "tiny")
    settings = {"cache_dir": tmp_path, "placement": "cost", "fallback": "error"}
    ops = ("mul", "elementwise_add", "relu")
    with fake_device(*ops):
        graph = parse_graph(
            """graph g(%x: float32[n,4]) {
              %w = const float32[4,3] random(1)
              %b = const float32[3] random(2)
              %xw = mul(X=%x, Y=%w) {x_num_col_dims=1, y_num_col_dims=1} : float32[n,3]
              %sum = elementwise_add(X=%xw, Y=%b) {axis=1} : float32[n,3]
              %y = relu(X=%sum) : float32[n,3]
              return %y }"""
        )
        costs = MeasuredCosts()
        opened = open_device("fake", Settings())
        for node in graph:
            costs.enter(OpKey.of(node), place_of(opened, 1), device)
            costs.enter(OpKey.of(node), place_of(None, 1), host)
        (tmp_path / COSTS_FILE).write_text(costs.to_json())
        config = lite.Config(tmp_path / "tiny", devices=["fake"], **settings)  # type: ignore[arg-type]
        predictor = lite.create_predictor(config)
        predictor.run([X])
        assert len(predictor.report().regions) == regions
        without = lite.create_predictor(lite.Config(tmp_path / "tiny", devices=["fake"], cache_dir=tmp_path))
        assert len(without.report().regions) == 1, "measured costs count with placement='cost' alone"


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    costs = MeasuredCosts()
    costs.enter(OpKey.of(relu("2,3")), "npu", 1.0)
    content = json.loads(costs.to_json())
    assert content["ops"][0]["shapes"] == [[2, 3]]
    assert content["ops"][0]["seconds"] == {"npu": 1.0}
