"""Writes the list of ops on the page of a device: ``python -m lite.tools.maintenance.device_ops qnn``.

An op is on the list if the device takes one of its cases in the conformance kit.  The question needs no SDK.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ops import canonical_op
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import Device
from lite.plugin.device.bridge_search import bridged_ops, load_bridges_of
from lite.plugin.device.bridging import why_not
from lite.plugin.device.opening import open_device
from lite.tools.conformance.cases import Case, program_of, read_cases

BEGIN, END = "<!-- ops: begin -->\n", "<!-- ops: end -->\n"


def accepted_ops(device: Device[object]) -> list[str]:
    """The ops of the kit that a device takes in at least one case, in their newest spelling."""
    bridged = set(bridged_ops(device))
    ops: set[str] = set()
    for case in read_cases():
        name = canonical_op(case.op)
        if name == case.op and name in bridged and name not in ops and _takes(device, case):
            ops.add(name)
    return sorted(ops)


def section(ops: Sequence[str]) -> str:
    """The part of the page between the marks."""
    listed = " ".join(f"`{op}`" for op in ops)
    return f"{BEGIN}\n{len(ops)} ops: {listed}\n\n{END}"


def written(page: str, ops: Sequence[str]) -> str:
    """The page with a new list of ops."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + section(ops) + after


def _takes(device: Device[object], case: Case) -> bool:
    for weights in (False, True):
        graph = _graph(case, weights)
        nodes = [node for node in graph if node.op == case.op]
        load_bridges_of(device, [case.op])
        if all(why_not(node, device) is None for node in nodes):
            return True
    return False


def _graph(case: Case, weights: bool) -> Graph:
    graph = build_graph(program_of(case, weights=weights))
    infer_graph(graph)
    return graph


def main(names: Sequence[str]) -> int:
    """Write the pages of these devices."""
    for name in names:
        path = Path("docs", f"{name}.md")
        page = path.read_text(encoding="utf-8")
        path.write_text(written(page, accepted_ops(open_device(name))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
