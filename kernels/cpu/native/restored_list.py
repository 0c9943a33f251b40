"""Lists of jobs from the data of `stored_list`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.native.code_store import TARGET, code_key, kept_code
from lite.kernels.cpu.native.job_table import ARGUMENTS, COUNT, FUNCTION, GRAIN, ROW, RUN_LAUNCHES, SHARED
from lite.kernels.cpu.native.launch_list import LaunchList
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.packed_arguments import address_of
from lite.plugin.kernel import Array
from lite.plugin.kernel.launch_restorers import Record, launch_restorer


@launch_restorer(TARGET)
def restored(record: Record, memory: Sequence[Array], constants: Sequence[Array]) -> LaunchList | None:
    """The jobs again; None on another machine, and where code is not compiled."""
    if record["key"] != code_key():
        return None
    functions: dict[str, int] = {}
    for name in {RUN_LAUNCHES, *(job[0] for job in record["jobs"])}:
        code = kept_code(name)
        if code is None:
            return None
        functions[name] = load(code)
    words = array("q", record["words"])
    own = [np.array(each) for each in constants[: record["own"]]]
    blocks = [*memory, *own, *constants[len(own) :]]
    addresses = [address_of(each) for each in blocks]
    for place, block, offset in record["pointers"]:
        words[place] = addresses[block] + offset
    table = np.empty((len(record["jobs"]), ROW), np.int64)
    address = words.buffer_info()[0]
    for row, (name, size, count, grain, is_shared) in zip(table, record["jobs"], strict=True):
        row[[FUNCTION, ARGUMENTS, COUNT, GRAIN, SHARED]] = functions[name], address, count, grain, is_shared
        address += 8 * size
    return LaunchList(words, table, record["cost"], record["targets"], blocks)
