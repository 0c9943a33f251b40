"""A pytest plug-in: compiled functions run on guarded arrays, and refuse arrays that are one element short.

Each job runs twice more than it would, see `guarded_job`.  At the end, the names of all functions that ran
are written to the file named by `COVERED`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.cpu.native.job import FREE
from lite.kernels.cpu.native.packed_arguments import SCALARS
from lite.plugin.kernel import Scratch
from tests.kernels.cpu.guarded_job import GuardedJob, guard_jobs

COVERED = "LITEBRIDGE_TEST_COVERED"
"""Environment variable: the file for the names of the functions that ran."""

_names: set[str] = set()


class RefusingJob(GuardedJob):
    """A guarded job that also checks that short arrays are refused."""

    def __call__(self, *arrays: Array) -> None:
        super().__call__(*arrays)
        _names.add(self.name)

    def examine(self, arguments: Sequence[Any]) -> None:
        for n, kind in enumerate(self.kinds):
            argument = arguments[n]
            if kind in SCALARS or not self.least[n]:
                continue
            if isinstance(argument, Scratch):
                self._refuse(arguments, n, Scratch((1, self.least[n] - 1), argument.dtype))
            elif isinstance(argument, np.ndarray):
                self._refuse(arguments, n, argument[:-1])

    def _refuse(self, arguments: Sequence[Any], place: int, short: Any) -> None:
        changed = [short if n == place else each for n, each in enumerate(arguments)]
        if self.kinds[place] == "n":
            # Never free, and lengths follow from its elements.
            with pytest.raises((ValueError, IndexError)):
                self.job(changed)
            return
        with pytest.raises(ValueError, match=f"argument {place} of {self.name} needs"):
            self.job(changed)
        if not isinstance(short, Scratch):
            changed[place] = FREE
            job = self.job(changed)
            with pytest.raises(ValueError, match=f"argument {place} of {self.name} needs"):
                job(short)


def pytest_configure(config: pytest.Config) -> None:
    """Replace the class of all jobs."""
    guard_jobs(RefusingJob)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write the names of the functions that ran."""
    if COVERED in os.environ:
        Path(os.environ[COVERED]).write_text("\n".join(sorted(_names)))
