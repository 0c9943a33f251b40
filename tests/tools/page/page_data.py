"""The data inside a page, with its indices replaced by what they stand for."""

from __future__ import annotations

import json
import re
from typing import Any


def data_of(html: str) -> Any:
    """The JSON document in the page."""
    match = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def graph_of(data: Any, index: int) -> Any:
    """A graph with its nodes; values are names, attributes texts."""
    graph, text = data["graphs"][index], data["strings"]

    def names(slots: Any) -> Any:
        return {slot: [data["values"][value][0] for value in values] for slot, values in slots}

    return {
        "name": graph["name"],
        "args": [data["values"][value][0] for value in graph["args"]],
        "results": {name: data["values"][value][0] for name, value in graph["results"]},
        "nodes": [
            {
                **node,
                "inputs": names(node["inputs"]),
                "outputs": names(node["outputs"]),
                "attrs": {text[a]: text[b] for a, b in node["attrs"]},
                "defaults": {text[a]: text[b] for a, b in node["defaults"]},
                "blocks": [graph_of(data, block) for block in node.get("blocks", ())],
            }
            for node in (data["nodes"][number] for number in graph["nodes"])
        ],
    }


def stage_of(data: Any, name: str) -> Any:
    """The graph of a stage, as `graph_of` gives it."""
    [index] = [stage["graph"] for stage in data["stages"] if stage["name"] == name]
    return graph_of(data, index)
