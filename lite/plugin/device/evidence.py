"""Evidence: what proves that a compiled model runs on the device, and not on another processor."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Evidence:
    """The vendor's own report of where the nodes of a compiled model run.

    `source` names the report.  `on_device` counts the nodes on the device; `elsewhere` has a few words for
    each node or run that is not, such as ``"Erf on the CPU"``.
    """

    source: str
    on_device: int
    elsewhere: Sequence[str] = ()

    def problem(self) -> str:
        """A sentence if the report does not prove that all work is done on the device; "" if it does."""
        if self.elsewhere:
            return f"{self.source}: not all work is done on the device: {'; '.join(self.elsewhere)}"
        return "" if self.on_device else f"{self.source}: no work is done on the device"
