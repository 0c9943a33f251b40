"""The data and the file of a model's page."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lite.ir.node import Quant, Rounding
from lite.ir.text import parse_graph
from lite.ir.types import DType
from lite.passes.manager import PassManager
from lite.tools.page.graph_data import quant_summary
from lite.tools.page.model_page import ASSETS, SCRIPTS, ModelPage
from tests.lite.passes.debug.nested_graph import nested_graph
from tests.tools.page.page_data import data_of, stage_of

TYPED = """
graph main(%x: float32[?,2]) {
  %w = const float32[2] [1.0, 2.0]
  %y = scale(X=%x, ScaleTensor=%w) {scale=2.0, bias=0.0} @host/any/any : float32[?,2]
  return out=%y
}
"""


def test_data_has_the_ops_values_and_places() -> None:
    page = ModelPage("model", "of a test")
    page.add("as loaded", parse_graph(TYPED))

    data = data_of(page.html())

    text = data["strings"]
    assert (data["title"], data["subtitle"]) == ("model", "of a test")
    assert [(name, text[kind], text[quant]) for name, kind, quant, _ in data["values"]] == [
        ("x", "float32[?,2]", ""),
        ("w", "float32[2]", ""),
        ("y", "float32[?,2]", ""),
    ]
    assert [text[constant] for *_, constant in data["values"] if constant >= 0] == ["[1., 2.]"]
    assert stage_of(data, "as loaded") == {
        "name": "main",
        "args": ["x"],
        "results": {"out": "y"},
        "nodes": [
            {
                "op": "scale",
                "name": "y",
                "inputs": {"X": ["x"], "ScaleTensor": ["w"]},
                "outputs": {"Out": ["y"]},
                "attrs": {"scale": "2.0"},
                "defaults": {"bias": "0.0"},
                "place": "host/any/any",
                "blocks": [],
            }
        ],
    }
    assert "host/any/any" in dict(data["kernels"])["scale"]
    assert [data[name] for name in ("placement", "timeline", "memory", "differences")] == [None] * 4


def test_nested_graphs_are_inside_their_ops() -> None:
    page = ModelPage("model")
    page.add("as loaded", nested_graph())
    nodes = stage_of(data_of(page.html()), "as loaded")["nodes"]
    assert [
        (node["op"], node.get("device"), node.get("effect", False), [b["name"] for b in node["blocks"]])
        for node in nodes
    ] == [
        ("elementwise_add", None, False, []),
        ("print", None, True, []),
        ("conditional_block", None, False, ["block1"]),
        ("subgraph", "npu", False, ["block2"]),
        ("subgraph", "npu", False, ["block3"]),
        ("print", None, True, []),
    ]


def test_stages_share_what_no_pass_changed() -> None:
    page, graph = ModelPage("model"), nested_graph()
    page.add("before", graph)
    [first, *_] = graph
    first.attrs["axis"] = 1
    page.add("after", graph)
    page.add("end", graph)

    data = data_of(page.html())

    before, after, end = (data["graphs"][stage["graph"]]["nodes"] for stage in data["stages"])
    assert after == end
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, *[True] * 5]
    assert len(data["nodes"]) == 6 + 3 + 1


def test_only_passes_that_change_the_graph_are_stages() -> None:
    page = ModelPage("model")
    add = page.after_each("A: ", always=["dead_code_pass"])
    graph = parse_graph(TYPED)
    for name, changed in (("", False), ("a_pass", False), ("b_pass", True), ("dead_code_pass", False)):
        add(name, graph, 0, 0.0, changed)
    assert [stage["name"] for stage in data_of(page.html())["stages"]] == [
        "A: as loaded",
        "A: after b_pass",
        "A: after dead_code_pass",
    ]
    assert PassManager(["canonicalize_pass"], after_each=add).passes  # the function is one for `after_each`


def test_stages_have_different_names() -> None:
    page = ModelPage("model")
    for _ in range(3):
        page.add("after a_pass", nested_graph())
    stages = [stage["name"] for stage in data_of(page.html())["stages"]]
    assert stages == ["after a_pass", "after a_pass (2)", "after a_pass (3)"]


def test_large_constants_and_attributes_are_cut() -> None:
    graph = parse_graph(TYPED)
    [node] = graph
    node.attrs["text"] = "a" * 5000
    next(iter(graph.constants.values())).data = np.zeros(17, np.float32)
    page = ModelPage("model")
    page.add("as loaded", graph)
    data = data_of(page.html())
    [entry] = stage_of(data, "as loaded")["nodes"]
    assert {len(text) for text in entry["defaults"].values()} == {3, 1001}
    assert [data["strings"][constant] for *_, constant in data["values"] if constant >= 0] == [""]


@pytest.mark.parametrize(
    ("quant", "text"),
    [
        (Quant((0.5,), (0,), -1, DType.INT8), "int8, scale 0.5, symmetric"),
        (Quant((0.25,), (128,), -1, DType.UINT8), "uint8, scale 0.25, zero point 128"),
        (
            Quant((0.5, 0.25), (3, 4), 1, DType.UINT8),
            "uint8, 2 scales on axis 1, zero points from 3 to 4",
        ),
        (
            Quant((0.5,), (0,), -1, DType.INT8, Rounding.ABS_MAX),
            "int8, scale 0.5, symmetric, rounded as abs_max",
        ),
    ],
)
def test_quantisation_is_summed_up(quant: Quant, text: str) -> None:
    assert quant_summary(quant) == text


def test_names_of_the_model_are_escaped() -> None:
    page = ModelPage("<b>model</b>", "<b>command</b>")
    page.add("as loaded", parse_graph('graph main(%"</script><b>": float32[1]) { return %"</script><b>" }'))
    html = page.html()
    assert "<b>" not in html
    assert data_of(html)["values"][0][0] == "</script><b>"


def test_page_needs_no_other_file() -> None:
    page = ModelPage("model")
    page.add("as loaded", nested_graph())
    html = page.html()
    assert re.findall(r"""(?:src|href)=|url\((?!#)|@import|sourceMappingURL""", html) == []
    assert "default-src 'none'" in html
    assert "Permission is hereby granted" in html  # dagre's licence


@pytest.mark.parametrize("name", [f"page/{name}.js" for name in SCRIPTS] + ["vendor/dagre.min.js"])
def test_scripts_do_not_end_their_element(name: str) -> None:
    assert "</script" not in (ASSETS / name).read_text(encoding="utf-8").lower()


def test_every_script_is_part_of_the_page() -> None:
    assert {path.stem for path in (ASSETS / "page").glob("*.js")} == set(SCRIPTS)
