"""Reports which kernels a run used, and compiles those that are missing."""

from __future__ import annotations

from collections.abc import Mapping

from lite.config import CPU
from lite.dataclass import dataclass
from lite.ir.types import HOST, Array
from lite.plugin.kernel.compilation import COMPILERS
from lite.plugin.loader import load_compilers
from lite.session.predictor import Predictor
from lite.tools.terminal import progress


@dataclass(frozen=True)
class KernelsOfRun:
    """The target whose kernels ran; `left` of `total` kernels are not compiled yet.

    `problem` states why some kernels cannot be compiled, or is empty.
    """

    target: str
    left: int
    total: int
    problem: str

    def text(self) -> str:
        """One line, such as ``host, as 12 of 16 are still being compiled in the background``."""
        if self.problem:
            return f"{self.target}; {self.problem}"
        if self.target == CPU or not self.total:
            return self.target
        return f"{self.target}, as {self.left} of {self.total} are still being compiled in the background"


def kernels_of_run(predictor: Predictor) -> KernelsOfRun:
    """The kernels of a predictor's last run."""
    now = predictor.compilation
    has_cpu = any(place.target == CPU for place in predictor.config.places)
    return KernelsOfRun(CPU if has_cpu and not now.on_host else HOST, now.left, now.total, now.problem)


def compile_kernels(predictor: Predictor, feeds: Mapping[str, Array]) -> int:
    """Compile the kernels that a run of `feeds` lacks, and show the progress; returns their number."""
    tasks = predictor.missing_kernels({name: array.shape for name, array in feeds.items()})
    load_compilers()
    with progress(len(tasks), "compiling kernels") as advance:
        for task in tasks:
            COMPILERS.get(task.target)().compile([task], lambda: True)
            advance()
    return len(tasks)
