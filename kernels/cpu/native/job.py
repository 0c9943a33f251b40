"""A compiled function bound to its constant arguments, which runs with arrays."""

from __future__ import annotations

import math
import weakref
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from lite.kernels.cpu.native.job_table import JobCall
from lite.kernels.cpu.native.launch_target import CPU_LAUNCHES
from lite.kernels.cpu.native.packed_arguments import (
    ANY_TYPE,
    SCALARS,
    SCRATCH,
    WRITTEN,
    NativeFunction,
    address_of,
)
from lite.kernels.cpu.native.worker_pool import current_pool
from lite.plugin.kernel import Array, Scratch
from lite.plugin.kernel.launches import RECORDERS, Launch, record


class Free:
    """Stands for an array that is passed in each run."""


FREE: Final = Free()

Argument = Array | float | Scratch | Free | None
"""None stands for an array that the function does not read."""

Lengths = Callable[..., Sequence[int]]
"""From arguments and `count` to the least length of each array parameter."""

_Reference = weakref.ref[Array]


class Job:
    """A function bound to arguments; calling it takes the free ones in order.

    Arrays that the function reads are copied where they are not contiguous; arrays that it writes must be
    contiguous.  Several threads may call a job at once.
    """

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
        if len(parameters) != len(arguments):
            raise TypeError(f"{name} takes {len(parameters)} arguments, got {len(arguments)}")
        self.count = count
        self.cost = cost
        self.grain = grain
        self._name, self._kinds = name, tuple(parameters)
        self._address, self._run = address, NativeFunction(address)
        self._packed = array("q", bytes(8 * len(arguments)))
        self._kept: list[object] = [*arguments]
        self._free: list[_Parameter] = []
        self._scratch: Scratch | None = None
        self._last: _Call | None = None
        known = (None if isinstance(each, (Scratch, Free)) else each for each in arguments)
        least = iter(lengths(*known, count))
        for place, (kind, argument) in enumerate(zip(parameters, arguments, strict=True)):
            length = 0 if kind in SCALARS else next(least)
            parameter = _Parameter(f"argument {place} of {name}", place, kind, length)
            if isinstance(argument, Scratch):
                is_row = kind in SCRATCH
                parameter.check_length(argument.shape[-1] if is_row else math.prod(argument.shape))
                self._scratch = argument
                scratch_parameter = parameter
            elif isinstance(argument, Free):
                self._free.append(parameter)
            else:
                self._packed[place] = parameter.pack(argument, self._kept)
        if self._scratch is not None:
            # The scratch array is the last free one, and the bytes of a worker's row are one more argument.
            self._free.append(scratch_parameter)
            self._packed.append(self._scratch.shape[-1] * self._scratch.dtype.itemsize)

    def __call__(self, *arrays: Array) -> None:
        """Run with these arrays as the free arguments."""
        if self._scratch is not None:
            arrays = (*arrays, self._scratch.array)
        call = self._last
        if call is None or not call.has(arrays):
            call = self._pack(arrays)
        if RECORDERS and self._record(call, arrays):
            return
        pool = current_pool(self.cost) if self.count > self.grain else None
        if pool is None:
            self._run(call.address, 0, 0, self.count)
        else:
            pool.run(self._address, call.address, self.count, self.grain)

    def _record(self, call: _Call, arrays: Sequence[Array]) -> bool:
        """Report the call to a run that is recorded; whether it must not be made."""
        places = [parameter.place for parameter in self._free]
        details = JobCall(
            self._name, self._kinds, self._address, call.packed, self.count, self.grain, self.cost, self._kept
        )
        passed = list(zip(places, arrays, strict=True))
        return record(Launch(passed, details, CPU_LAUNCHES, is_repeatable=not call.copies))

    def _pack(self, arrays: Sequence[Array]) -> _Call:
        packed, copies = self._packed[:], list[object]()
        for parameter, argument in zip(self._free, arrays, strict=True):
            packed[parameter.place] = parameter.address(argument, copies)
        # Weak references: the next call usually has the same arrays, but the caller may drop them.
        call = _Call(packed, list(map(weakref.ref, arrays)), copies)
        if not copies:
            self._last = call
        return call


class UnboundJob(Job):
    """Does nothing: a model is bound only to find the functions that it needs."""

    def __init__(self, count: int, cost: float, grain: int) -> None:
        self.count = count
        self.cost = cost
        self.grain = grain

    def __call__(self, *arrays: Array) -> None:
        """Leave all arrays as they are."""


class _Call:
    """Packed arguments, their address, and the arrays that they hold; `copies` are contiguous copies."""

    __slots__ = ("address", "arrays", "copies", "packed")

    def __init__(self, packed: array[int], arrays: Sequence[_Reference], copies: Sequence[object]) -> None:
        self.packed = packed
        self.address = packed.buffer_info()[0]
        self.arrays = arrays
        self.copies = copies

    def has(self, arrays: Sequence[Array]) -> bool:
        """Whether these are the arrays of the call."""
        # A loop: `all` of a generator takes twice as long.
        for reference, other in zip(self.arrays, arrays, strict=True):  # noqa: SIM110
            if reference() is not other:
                return False
        return True


_DTYPES = {
    "n": np.int64, "m": np.int64, "l": np.int64, "d": np.float64, "e": np.float64, "j": np.int32,
    "b": np.uint8, "c": np.uint8, "a": np.uint8, "z": np.uint8,
}  # fmt: skip


def dtype_of(kind: str) -> np.dtype[Any]:
    """The element type of an array by the kind of its parameter; bytes for one of any type."""
    return np.dtype(_DTYPES.get(kind, np.float32))


class _Parameter:
    """A parameter: its place among the packed arguments, its kind, and the least length of an array.

    The length of an array of any type is in bytes.
    """

    __slots__ = ("dtype", "kind", "length", "place", "where")

    def __init__(self, where: str, place: int, kind: str, length: int) -> None:
        self.where = where
        self.place = place
        self.kind = kind
        self.length = length
        self.dtype = dtype_of(kind)

    def pack(self, argument: Argument, kept: list[object]) -> int:
        """The word of an argument; an array that nothing else references is added to `kept`."""
        if self.kind in SCALARS:
            if not isinstance(argument, (int, float, np.number)):
                raise TypeError(f"{self.where} is a number, got {argument!r}")
            return SCALARS[self.kind](argument)
        if argument is None:
            self.check_length(0)
            return 0
        return self.address(argument, kept)

    def check_length(self, length: int) -> None:
        """Raise `ValueError` for an array of fewer elements than the function reads or writes."""
        if length < self.length:
            raise ValueError(f"{self.where} needs {self.length} elements, got {length}")

    def address(self, argument: object, kept: list[object]) -> int:
        """The address of an array, or of a contiguous copy of an array that is only read."""
        is_any = self.kind in ANY_TYPE
        if not isinstance(argument, np.ndarray) or not (is_any or argument.dtype == self.dtype):
            raise TypeError(f"{self.where} is an array of {self.dtype}, got {_described(argument)}")
        length = argument.nbytes if is_any else argument.size
        if length < self.length:
            self.check_length(length)
        flags = argument.flags
        if not (flags.c_contiguous and flags.aligned):
            if self.kind in WRITTEN:
                raise TypeError(f"{self.where} is written, but {_described(argument)} is not contiguous")
            argument = np.require(argument, requirements=["C", "A"])
            kept.append(argument)
        return address_of(argument)


def _described(argument: object) -> str:
    if isinstance(argument, np.ndarray):
        return f"an array of {argument.dtype} {list(argument.shape)} with strides {list(argument.strides)}"
    return repr(argument)
