"""Jobs with all their arguments, and the table in which a compiled function reads them.

``TABLE``, a row of five words for each job:

``FUNCTION, ARGUMENTS``   The addresses of the compiled function and of its packed arguments.
``COUNT, GRAIN``          The job does the range 0 to `COUNT`, in multiples of `GRAIN`.
``SHARED``                1 if a pool's threads shall share the job.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass

RUN_LAUNCHES = "launch_list.run_launches"
"""The function that runs a list."""

ROW = 5
FUNCTION, ARGUMENTS, COUNT, GRAIN, SHARED = range(ROW)

RUN_BRANCH, RUN_LOOP = "launch_list.run_branch", "launch_list.run_loop"
"""The functions that run a list as a condition decides."""

BRANCH_FIRST, LOOP_FIRST = 9, 15
"""The first word of their packed arguments that is the address of an array of the block."""

STATIC = -1
"""Stands for the number of a source whose address never changes."""


@dataclass(frozen=True)
class JobCall:
    """A job with its packed arguments; `kept` are the objects that they point to.

    `name` and `kinds` are those of the function and of its parameters.  One that runs other jobs cannot be
    stored.
    """

    name: str
    kinds: Sequence[str]
    function: int
    words: Sequence[int]
    count: int
    grain: int
    cost: float
    kept: object
    is_storable: bool = True
