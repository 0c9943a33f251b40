"""Lists of jobs as data; `restored_list` has the way back.

A record names compiled functions, which the code store keeps, and holds the packed arguments.  In place of
an address it has the number of a block and an offset.  Blocks are the memory that each run overwrites, then
the arrays that kernels own, then the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.native.code_store import TARGET, code_key
from lite.kernels.cpu.native.job_table import COUNT, GRAIN, SHARED, JobCall
from lite.kernels.cpu.native.packed_arguments import SCALARS, WRITTEN, address_of
from lite.plugin.kernel import Array
from lite.plugin.kernel.launches import StoredLaunches

RESTORER = "lite.kernels.cpu.native.restored_list"
"""The module that makes a list again."""

MOST_OWN = 1 << 20
"""Most bytes of arrays that kernels own: they are stored with their contents, such as zeros at the border."""


def stored_list(
    calls: Sequence[JobCall],
    table: Array,
    cost: float,
    targets: Sequence[Sequence[tuple[int, int]]],
    kept: Sequence[Array],
    memory: Sequence[Array],
) -> StoredLaunches | None:
    """The jobs of a `LaunchList` as data; None where they check bounds, run others, or own much memory."""
    if IS_CHECKED or not calls or not all(call.is_storable for call in calls):
        return None
    moving = {place for each in targets for place, _ in each}
    kinds = [kind for call in calls for kind in _kinds(call)]
    words = [word for call in calls for word in call.words]
    places = [
        place
        for place, (kind, word) in enumerate(zip(kinds, words, strict=True))
        if kind not in SCALARS and word and place not in moving
    ]
    arrays = _Blocks([*kept, *_arrays(call.kept for call in calls)])
    own = arrays.owners({words[place] for place in places if kinds[place] in WRITTEN}, _Blocks(memory))
    blocks = _Blocks([*memory, *own])
    is_contiguous = all(each.flags.c_contiguous for each in own)
    if not is_contiguous or sum(each.nbytes for each in own) > MOST_OWN:
        return None
    constants: dict[int, int] = {}
    pointers: list[tuple[int, int, int]] = []
    for place in places:
        found = blocks.find(words[place])
        if found is None:
            number, offset = arrays.find(words[place]) or (None, 0)
            if number is None:
                return None
            found = len(blocks.arrays) + constants.setdefault(number, len(constants)), offset
        pointers.append((place, *found))
    for place in {*places, *moving}:
        words[place] = 0
    jobs = [
        [call.name, len(call.words), *map(int, row[[COUNT, GRAIN, SHARED]])]
        for call, row in zip(calls, table, strict=True)
    ]
    record = {
        "key": code_key(),
        "jobs": jobs,
        "words": words,
        "pointers": pointers,
        "own": len(own),
        "targets": [list(each) for each in targets],
        "cost": cost,
    }
    return StoredLaunches(TARGET, RESTORER, record, [*own, *(arrays.arrays[number] for number in constants)])


class _Blocks:
    """Arrays by the addresses in them."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self.arrays = [each for each in arrays if each.flags.c_contiguous]
        self._starts = np.array([address_of(each) for each in self.arrays], np.int64)
        # An array without elements has an address, too.
        self._ends = self._starts + [max(each.nbytes, 1) for each in self.arrays]

    def find(self, address: int) -> tuple[int, int] | None:
        """The number of the first array that an address lies in, and the offset there in bytes."""
        (found,) = np.nonzero((self._starts <= address) & (address < self._ends))
        return (int(found[0]), address - int(self._starts[found[0]])) if len(found) else None

    def owners(self, addresses: Iterable[int], others: _Blocks) -> list[Array]:
        """The arrays that own the memory at these addresses, without those in `others`."""
        owners: dict[int, Array] = {}
        for address in addresses:
            found = None if others.find(address) else self.find(address)
            if found is not None:
                # Another job may read another view of it.
                owner = self.arrays[found[0]]
                while isinstance(owner.base, np.ndarray):
                    owner = owner.base
                owners[id(owner)] = owner
        return list(owners.values())


def _kinds(call: JobCall) -> Sequence[str]:
    """The kind of each word: after those of the parameters may follow the size of a scratch row."""
    return [*call.kinds, *"i" * (len(call.words) - len(call.kinds))]


def _arrays(kept: object) -> Iterator[Array]:
    """The arrays among the objects that jobs keep."""
    if isinstance(kept, np.ndarray):
        yield kept
    elif not isinstance(kept, (str, bytes)) and isinstance(kept, Iterator | list | tuple):
        for each in kept:
            yield from _arrays(each)
