"""Entries of ops in the placement report."""

from __future__ import annotations

from lite.ir.graph import SUBGRAPH, Graph, Node
from lite.ir.types import HOST
from lite.ops.node_work import node_macs, total_bytes
from lite.subgraph.report import OpReport, PlacementReport


def enter_ops(graph: Graph, placed: PlacementReport) -> None:
    """Enter every op of a graph as one that runs on the host, for a model without devices."""
    for node in graph:
        if node.op != SUBGRAPH:
            enter_op(node, graph.name, placed, HOST, {})


def enter_op(node: Node, block: str, placed: PlacementReport, where: str, reasons: dict[str, str]) -> None:
    """Enter an op, with the reason of each device that does not run it."""
    written = total_bytes(list(node.all_outputs()))
    placed.enter(OpReport(node.label, node.op, block, where, reasons, node_macs(node), written))
