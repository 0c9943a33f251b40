"""A compiled function as kernels see it: loaded when it is first bound, its constant arguments in place."""

from __future__ import annotations

import functools
import threading
import weakref
from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np

from lite.kernels.cpu.native.code_store import Code, MakeEntry, find_code
from lite.kernels.cpu.native.crew import current_crew
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.words import SCALARS, NativeFunction, address_of
from lite.plugin.kernel import Array, Scratch

_JOBS = 256
"""Jobs that a function keeps."""


class _Free:
    """Stands for an array that is given at each run."""


FREE: Final = _Free()

Argument = Array | float | Scratch | _Free | None
"""None is an array that is not read."""

_Reference = weakref.ref[Array]


class Function:
    """The function ``file.name`` of the folder `compiled`, for all threads of the process.

    One that is made while models run has a name that says all of it, and `make`, which is called to compile.
    """

    def __init__(self, name: str, make: MakeEntry | None = None) -> None:
        self.name = name
        self._make = make
        self._lock = threading.Lock()
        self._loaded: tuple[Code, int] | None = None
        self._job = functools.lru_cache(_JOBS)(self._bind)

    def bind(self, *arguments: Argument, count: int = 1, cost: float = 0, grain: int = 1) -> Job:
        """The function with arguments that stay, for pieces 0 to `count`; `FREE` ones are given at each run.

        `cost` is that of all pieces, in multiplications: work that is worth it is shared by the threads of
        the run, `grain` pieces at least.

        Raises `TypeError` for arguments that are not of the function's types.
        """
        return self._bind(arguments, count, cost, grain)

    def _bind(self, arguments: Sequence[Argument], count: int, cost: float, grain: int = 1) -> Job:
        code, address = self.load()
        return Job(self.name, code.parameters, address, arguments, count, cost, grain)

    def __call__(self, *arguments: Argument, count: int = 1, cost: float = 0) -> None:
        """Run once, as `bind`; jobs are kept for numbers that come again."""
        numbers = tuple(FREE if isinstance(each, np.ndarray) else each for each in arguments)
        self._job(numbers, count, cost)(*(each for each in arguments if isinstance(each, np.ndarray)))

    def load(self) -> tuple[Code, int]:
        """The code, compiled if need be, and the address that it was loaded to."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    code = find_code(self.name, self._make)
                    self._loaded = code, load(code)
        return self._loaded


class Job:
    """A function with its arguments; calling it takes the free ones in order.

    Arrays that are read are copied where they are not contiguous; those that are written must be.
    May be called by several threads at once.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
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
        self._address, self._run = address, NativeFunction(address)
        self._words = array("q", bytes(8 * len(arguments)))
        self._kept: list[object] = [*arguments]
        self._free: list[_Parameter] = []
        self._room: Scratch | None = None
        self._last: _Call | None = None
        for place, (kind, argument) in enumerate(zip(parameters, arguments, strict=True)):
            parameter = _Parameter(f"argument {place} of {name}", place, kind)
            if isinstance(argument, Scratch):
                self._room = argument
                rooms = parameter
            elif isinstance(argument, _Free):
                self._free.append(parameter)
            else:
                self._words[place] = parameter.word(argument, self._kept)
        if self._room is not None:
            # Its array is the last of the free ones.  Behind the words: the bytes of a worker's room.
            self._free.append(rooms)
            self._words.append(self._room.shape[-1] * self._room.dtype.itemsize)

    def __call__(self, *arrays: Array) -> None:
        """Run with these arrays in the places of the free ones."""
        if self._room is not None:
            arrays = (*arrays, self._room.array)
        call = self._last
        if call is None or not call.is_for(arrays):
            call = self._enter(arrays)
        crew = current_crew(self.cost) if self.count > self.grain else None
        if crew is None:
            self._run(call.address, 0, 0, self.count)
        else:
            crew.run(self._address, call.address, self.count, self.grain)

    def _enter(self, arrays: Sequence[Array]) -> _Call:
        words, copies = self._words[:], list[object]()
        for parameter, given in zip(self._free, arrays, strict=True):
            words[parameter.place] = parameter.address(given, copies)
        # A caller's arrays are not kept for the next call, which is usually one with the same arrays.
        call = _Call(words, list(map(weakref.ref, arrays)), copies)
        if not copies:
            self._last = call
        return call


class _Call:
    """The words of a call, their address, and what they are of; `copies` are arrays that only it has."""

    __slots__ = ("address", "arrays", "copies", "words")

    def __init__(self, words: array[int], arrays: Sequence[_Reference], copies: Sequence[object]) -> None:
        self.words = words
        self.address = words.buffer_info()[0]
        self.arrays = arrays
        self.copies = copies

    def is_for(self, arrays: Sequence[Array]) -> bool:
        """Whether the arrays are the same ones."""
        # A loop: `all` of a generator takes twice as long.
        for reference, given in zip(self.arrays, arrays, strict=True):  # noqa: SIM110
            if reference() is not given:
                return False
        return True


class _Parameter:
    """A parameter: where it stands, and its kind."""

    __slots__ = ("dtype", "kind", "place", "where")

    def __init__(self, where: str, place: int, kind: str) -> None:
        self.where = where
        self.place = place
        self.kind = kind
        self.dtype = np.dtype(np.int64 if kind in "nm" else np.float32)

    def word(self, argument: Argument, kept: list[object]) -> int:
        """The argument's word; an array that only lives through it is added to `kept`."""
        if self.kind in SCALARS:
            if not isinstance(argument, (int, float, np.number)):
                raise TypeError(f"{self.where} is a number, got {argument!r}")
            return SCALARS[self.kind](argument)
        return 0 if argument is None else self.address(argument, kept)

    def address(self, argument: object, kept: list[object]) -> int:
        """The address of an array, or of a contiguous copy for arrays that are only read."""
        if not isinstance(argument, np.ndarray) or argument.dtype != self.dtype:
            raise TypeError(f"{self.where} is an array of {self.dtype}, got {_described(argument)}")
        flags = argument.flags
        if not (flags.c_contiguous and flags.aligned):
            if self.kind in "wms":
                raise TypeError(f"{self.where} is written, but {_described(argument)} is not contiguous")
            argument = np.require(argument, requirements=["C", "A"])
            kept.append(argument)
        return address_of(argument)


def _described(argument: object) -> str:
    if isinstance(argument, np.ndarray):
        return f"an array of {argument.dtype} {list(argument.shape)} with strides {list(argument.strides)}"
    return repr(argument)
