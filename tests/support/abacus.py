"""The devices of the package outside of the tree, without installing it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "out_of_tree_device"


def load_abacus() -> None:
    """Register the devices ``abacus`` and ``abacus_c`` with their bridges."""
    sys.path.insert(0, str(PACKAGE))
    try:
        for name in ("bridges", "device", "in_c"):
            importlib.import_module(f"litebridge_abacus.{name}")
    finally:
        sys.path.remove(str(PACKAGE))
