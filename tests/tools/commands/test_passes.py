"""Passes that `litebridge passes` lists."""

from __future__ import annotations

from lite.passes.pipelines import HEAD, TAIL, default_pipeline
from lite.passes.registry import pass_names
from tests.tools.tiny_model import call, call_json

PICTURES = {
    "name": "graph_visualize_pass",
    "summary": "Writes a picture of the graph and does not change the graph",
    "mandatory": False,
    "positions": [],
    "after": [],
    "targets": [],
    "whole_program": True,
    "options": [
        {"name": "svg", "type": "bool", "default": "True"},
        {"name": "renderer", "type": "Literal['auto', 'dot']", "default": "'auto'"},
        {"name": "limit", "type": "int", "default": "3000"},
        {"name": "types", "type": "bool", "default": "False"},
        {"name": "attributes", "type": "bool", "default": "True"},
        {"name": "legend", "type": "bool", "default": "True"},
        {"name": "fold", "type": "tuple[str, ...]", "default": "()"},
    ],
    "aliases": [],
}


def test_the_document_describes_one_pass() -> None:
    result = call_json("passes", "graph_visualize_pass")
    doc = result.pop("doc")
    assert result == PICTURES
    assert doc.startswith(
        "Writes a picture of the graph and does not change the graph::\n\n    graph  ->  the same graph"
    )


def test_the_output_describes_one_pass() -> None:
    out = call("passes", "graph_visualize_pass").stdout
    assert out.startswith(
        "pass                 graph_visualize_pass\n"
        "in the default list  no\n"
        "mandatory            no\n"
        "comes after          -\n"
        "only for targets     -\n"
        "runs on              the main graph, once\n"
        "aliases              -\n"
        "\n"
        "options\n"
        "option      type                    default\n"
        "svg         bool                    True\n"
        "renderer    Literal['auto', 'dot']  'auto'\n"
        "limit       int                     3000\n"
        "types       bool                    False\n"
        "attributes  bool                    True\n"
        "legend      bool                    True\n"
        "fold        tuple[str, ...]         ()\n"
        "\n"
        "Writes a picture of the graph and does not change the graph::\n"
    )


def test_an_alias_shows_the_equivalent_pass() -> None:
    result = call_json("passes", "remove_scale1_pass")
    assert result["name"] == "identity_scale_eliminate_pass"
    assert "remove_scale1_pass" in result["aliases"]
    assert call_json("passes", "lite_identity_scale_eliminate_pass") == result


def test_the_document_lists_all_passes() -> None:
    result = call_json("passes")
    assert result["default"] == default_pipeline()
    assert result["mandatory"] == [*HEAD, *TAIL]
    assert [row["name"] for row in result["passes"]] == pass_names()
    twice = next(row for row in result["passes"] if row["name"] == "dead_code_elimination_pass")
    assert twice["positions"] == [n for n, name in enumerate(default_pipeline()) if name == twice["name"]]
    assert all(row["summary"] for row in result["passes"])


def test_the_output_has_the_default_list_and_all_passes() -> None:
    first, second = call("passes", "--wide").stdout.split("\n\n")
    title, header, *rows = first.splitlines()
    assert (title, header.split()) == ("default list", ["number", "pass", "kind"])
    assert [row.split()[1] for row in rows] == default_pipeline()
    assert rows[0].split() == ["0", "canonicalize_pass", "mandatory"]
    title, header, *rows = second.splitlines()
    assert title == "all passes"
    assert [row.split()[0] for row in rows] == pass_names()


def test_a_skipped_pass_has_a_reason() -> None:
    result = call("passes", "npu_subgraph_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "litebridge: npu_subgraph_pass is a pass of Paddle-Lite that litebridge does not need; "
        "it is skipped in a list\n"
    )


def test_an_unknown_pass_is_an_error_with_near_names() -> None:
    result = call("passes", "fc_fus_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("litebridge: no pass is called 'fc_fus_pass'; did you mean ")
