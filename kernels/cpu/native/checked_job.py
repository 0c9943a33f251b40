"""Jobs in checked mode: machine code gets the bounds of its arrays, and reports what lies outside of them.

After the packed arguments and the word for the bytes of a scratch row comes the table of arrays:

``FAILED_ADDRESS, FAILED_BYTES``   What the function last refused to read or write; 0 before.
``FAILURES``                       1 after a failure.
``ARRAY_COUNT``                    The number of the function's parameters.
``FIRST_ARRAY``                    From here on, for each parameter, the address and the bytes of its array;
                                   zeros where it has none.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final

from lite.kernels.cpu.native.job import FREE, Argument, Job, Lengths
from lite.kernels.cpu.native.packed_arguments import SCALARS
from lite.kernels.cpu.native.worker_pool import current_pool
from lite.plugin.kernel import Array, Scratch

FAILED_ADDRESS: Final = 0
FAILED_BYTES: Final = 1
FAILURES: Final = 2
ARRAY_COUNT: Final = 3
FIRST_ARRAY: Final = 4


class CheckedJob(Job):
    """A job of a function with bounds checks; raises `IndexError` where it leaves its arrays."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
        lengths: Lengths,
        address: int,
        arguments: Sequence[Argument],
        count: int,
        cost: float,
        grain: int,
    ) -> None:
        super().__init__(name, parameters, lengths, address, arguments, count, cost, grain)
        self._arguments = tuple(arguments)

    def __call__(self, *arrays: Array) -> None:
        """Run with these arrays as the free arguments."""
        free = iter(arrays)
        given = [next(free) if each is FREE else each for each in self._arguments]
        if self._scratch is not None:
            arrays = (*arrays, self._scratch.array)
        call = self._pack(arrays)  # which keeps copies of arrays that are not contiguous
        packed = call.packed[:]
        table = self._table(packed, given)
        # The word for the bytes of a scratch row, where the function has none.
        packed.extend([0] * (len(given) + 1 - len(packed)))
        start = len(packed)
        packed.extend(table)
        pool = current_pool(self.cost) if self.count > self.grain else None
        if pool is None:
            self._run(packed.buffer_info()[0], 0, 0, self.count)
        else:
            pool.run(self._address, packed.buffer_info()[0], self.count, self.grain)
        if packed[start + FAILURES]:
            raise IndexError(self._message(packed[start:]))

    def _table(self, packed: array[int], given: Sequence[Any]) -> list[int]:
        table = [0, 0, 0, len(given)]
        for word, kind, argument in zip(packed, self._kinds, given, strict=False):
            if kind in SCALARS or argument is None:
                table += [0, 0]
                continue
            size = argument.array.nbytes if isinstance(argument, Scratch) else argument.nbytes
            table += [word, size]
        return table

    def _message(self, table: Sequence[int]) -> str:
        what = f"the compiled function {self._name} would read or write outside of its arrays"
        address = table[FAILED_ADDRESS]
        if not address:
            return f"{what}: the index of an element is outside of its array"
        distances = {
            place: max(first - address, address + table[FAILED_BYTES] - first - size)
            for place, (first, size) in enumerate(
                zip(table[FIRST_ARRAY::2], table[FIRST_ARRAY + 1 :: 2], strict=True)
            )
            if first
        }
        nearest = min(distances, key=distances.__getitem__)
        first, size = table[FIRST_ARRAY + 2 * nearest], table[FIRST_ARRAY + 2 * nearest + 1]
        return (
            f"{what}: {table[FAILED_BYTES]} bytes from byte {address - first} on; the nearest array is "
            f"argument {nearest}, of {size} bytes"
        )
