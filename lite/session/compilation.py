"""How far the kernels of a predictor are compiled."""

from __future__ import annotations

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Compilation:
    """The kernels that a predictor lacks.

    `on_host` tells whether the host's kernels answered its last run.  `left` of `total` kernels are still
    being compiled; `problem` says why some could not be.
    """

    on_host: bool = False
    left: int = 0
    total: int = 0
    problem: str = ""

    def sentences(self) -> list[str]:
        """What a person should know about it."""
        said = [self.problem] if self.problem else []
        if self.left:
            said.append(
                f"{self.left} of {self.total} kernels are being compiled by another process; the host's "
                "kernels answer until then"
            )
        elif self.on_host and not self.problem:
            said.append("the host's kernels answered the last run; the next one has all kernels compiled")
        return said
