"""What a device says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from lite.plugin.boundary import at_boundary
from lite.plugin.device import BRIDGES
from lite.plugin.loader import load_all_bridges
from lite.tools.conformance.workbench import PASSED, Answer, Workbench, judged

SHORTEST_LIMIT = 1


def questions(bench: Workbench, _: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``device``."""
    return {
        "its version is a text, and always the same": lambda: _version(bench),
        "its limits leave room for an op": lambda: _limits(bench),
        "it has bridges": lambda: _bridges(bench),
    }


def _version(bench: Workbench) -> Answer:
    said = {at_boundary(bench.name, "asking its version", bench.open().version) for _ in range(2)}
    if len(said) > 1:
        return "wrong", f"asked twice, it says {' and '.join(map(repr, sorted(map(str, said))))}"
    (version,) = said
    return judged("" if isinstance(version, str) and version.strip() else f"it says {version!r}")


def _limits(bench: Workbench) -> Answer:
    limits = bench.open().limits
    for name in ("ops", "inputs", "outputs", "alignment"):
        value = getattr(limits, name)
        if value is not None and not (isinstance(value, int) and value >= SHORTEST_LIMIT):
            return "wrong", f"limits.{name} is {value!r}; expected a number of at least 1, or None"
    return PASSED


def _bridges(bench: Workbench) -> Answer:
    load_all_bridges(bench.name)
    count = sum(device == bench.name for device, _ in BRIDGES)
    return judged("" if count else "no file in its package has a bridge of it: @bridge(name, op)")
