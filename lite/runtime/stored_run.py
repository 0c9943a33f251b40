"""StoredRun: a direct run as data, which another process makes again without a plan."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.plugin.kernel.launch_restorers import LAUNCH_RESTORERS
from lite.plugin.kernel.launches import StoredLaunches
from lite.plugin.kernel.scratch import ALIGNMENT
from lite.runtime.allocation import aligned_bytes
from lite.runtime.direct_run import DirectRun, Signature


@dataclass(frozen=True)
class StoredRun:
    """A direct run: what it takes and returns, its launches, and the bytes of memory that it overwrites."""

    signature: Signature
    launches: StoredLaunches
    memory: Sequence[int]

    def restored(self) -> DirectRun | None:
        """The run, with memory of its own; None where this process cannot make its launches.

        The module of the launches must be imported.
        """
        memory = [aligned_bytes(size, ALIGNMENT) for size in self.memory]
        restore = LAUNCH_RESTORERS.get(self.launches.target)
        launch = restore(self.launches.record, memory, self.launches.constants)
        return None if launch is None else DirectRun(self.signature, launch)
