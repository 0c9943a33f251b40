"""Writes the section Ops of a device's page: ``python -m lite.tools.maintenance.ops_page litert``.

The section has a table with a row for each file of bridges: its ops, and its docstring without the first
paragraph.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

from lite.plugin.device import BRIDGES
from lite.plugin.device.bridge_search import bridge_names, bridged_ops
from lite.plugin.device.opening import open_device

HEADER = "\n## Ops\n"


def ops_section(device: str) -> str:
    """The section, from its header on."""
    cls = type(open_device(device))
    bridged_ops(cls)
    name = bridge_names(cls)[-1]
    owners: dict[str, list[str]] = {}
    for key in BRIDGES:
        if key[0] == name:
            owners.setdefault(BRIDGES.owner(key), []).append(key[1])
    rows = [_row(module, sorted(ops)) for module, ops in sorted(owners.items())]
    count = sum(len(ops) for ops in owners.values())
    head = f"There are bridges for these {count} ops, in `bridges/{name}/ops/`."
    return f"{HEADER}\n{head}\n\n| file | ops | limits |\n|---|---|---|\n{''.join(rows)}"


def _row(module: str, ops: list[str]) -> str:
    _, _, limits = (inspect.getdoc(importlib.import_module(module)) or "").partition("\n\n")
    names = " ".join(f"`{op}`" for op in ops)
    return f"| {module.rpartition('.')[2]} | {names} | {' '.join(limits.split())} |\n"


def main(device: str, page: Path) -> None:
    """Replace the section, which is the end of the page."""
    text = page.read_text(encoding="utf-8").partition(HEADER)[0]
    page.write_text(text.rstrip("\n") + "\n" + ops_section(device), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path("docs") / f"{sys.argv[1]}_ops.md")
