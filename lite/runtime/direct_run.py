"""DirectRun: from arrays to arrays by one launch, without the machinery of a general run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ctypes import addressof, c_char
from sys import getrefcount
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plugin.kernel.launches import Joined
from lite.runtime.allocation import allocate

if TYPE_CHECKING:
    from lite.runtime.segment import JoinedSteps

_from_buffer = c_char.from_buffer


class Buffer(NamedTuple):
    """An array of a run: its shape and its dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class View(NamedTuple):
    """How a result lies in an array: `offset` and `strides` in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    strides: tuple[int, ...]


class Result(NamedTuple):
    """A result: its name, the number of its array, and how it lies there if it is not the whole array."""

    name: str
    array: int
    view: View | None


class Choice(NamedTuple):
    """An array that is a copy of one of `values`, which launches write: the one whose number is in `mask`."""

    mask: Array
    values: Sequence[Array]


@dataclass(frozen=True)
class Signature:
    """What a direct run takes and returns.

    `inputs` are the arrays by name, `arrays` those that a run allocates for its results.  `order` are the
    arrays that the launches take, by number: the inputs come first.
    """

    inputs: Sequence[tuple[str, Buffer]]
    arrays: Sequence[Buffer]
    order: Sequence[int]
    results: Sequence[Result]

    def takes(self, inputs: Mapping[str, Any] | Sequence[Any]) -> bool:
        """Whether arrays, by name or in order, have the shapes and dtypes of the inputs."""
        if len(inputs) != len(self.inputs):
            return False
        names = [name for name, _ in self.inputs]
        given = [inputs.get(name) for name in names] if isinstance(inputs, Mapping) else inputs
        return all(
            isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
            for array, (_, (shape, dtype)) in zip(given, self.inputs, strict=True)
        )


class DirectRun:
    """Runs a segment on inputs of its exact shapes and dtypes.

    The array of a result is used again where no other reference to it exists: then a run allocates nothing.
    `forget_errors` says whether the last launches failed; None where they cannot fail.  `joined` are the
    steps that this run replaces.  `choices` make more arrays for results: their numbers follow those of the
    signature.
    """

    def __init__(
        self,
        signature: Signature,
        launch: Joined,
        forget_errors: Callable[[], bool] | None = None,
        joined: JoinedSteps | None = None,
        choices: Sequence[Choice] = (),
    ) -> None:
        self.signature = signature
        self.launch = launch
        self.joined = joined
        self.is_last = False
        """Whether the results of the last run are here."""
        self._forget_errors = forget_errors
        self._run_at = launch.run_at
        self._inputs = [
            (number, name, shape, dtype, dtype.alignment - 1)
            for number, (name, (shape, dtype)) in enumerate(signature.inputs)
        ]
        self._count = len(self._inputs)
        self._fresh = [(number, shape, dtype) for number, (shape, dtype) in enumerate(signature.arrays)]
        self._arrays = [np.empty(0, dtype) for _, _, dtype in self._fresh]
        self._addresses = [0] * len(self._arrays)
        self._order = list(signature.order)
        self._is_ordered = self._order == list(range(len(self._inputs) + len(self._fresh)))
        self._results = list(signature.results)
        self._choices = list(enumerate(choices, len(self._arrays)))
        self._arrays += [np.empty(0) for _ in choices]

    @property
    def only_launches(self) -> bool:
        """Whether nothing follows the launches: none may note an error, and no result is chosen."""
        return self._forget_errors is None and not self._choices

    def __call__(self, inputs: Mapping[str, Array] | list[Array]) -> dict[str, Array] | None:
        """The results by name, of arrays by name or in order; None for inputs that need a general run.

        Inputs that a launch fails on do: the general run raises the error.
        """
        if len(inputs) != self._count:
            return None
        # Loops without iterators to make, and without calls: this takes as long as a few small layers.
        addresses = []
        for number, name, shape, dtype, odd_bits in self._inputs:
            array = inputs[number] if isinstance(inputs, list) else inputs.get(name)
            if type(array) is not np.ndarray or array.dtype != dtype or array.shape != shape:
                return None
            try:
                address = addressof(_from_buffer(array))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                if not array.flags.c_contiguous:
                    return None
                address = array.__array_interface__["data"][0]  # read-only, or empty
            if address & odd_bits:
                return None
            addresses.append(address)
        arrays = self._arrays
        for number, shape, dtype in self._fresh:
            if getrefcount(arrays[number]) != _UNSHARED or not self._addresses[number]:
                arrays[number] = allocate(shape, dtype)
                self._addresses[number] = addressof(_from_buffer(arrays[number]))  # type: ignore[arg-type]
        addresses += self._addresses
        self._run_at(addresses if self._is_ordered else [addresses[n] for n in self._order])
        if self._forget_errors is not None and self._forget_errors():
            return None
        for place, (mask, values) in self._choices:
            number = int(mask.item())
            if not 0 <= number < len(values):
                return None
            arrays[place] = values[number].copy()
        self.is_last = True
        return self.results()

    def results(self) -> dict[str, Array]:
        """The results of the last run by name."""
        results = {}
        for name, number, view in self._results:
            array = self._arrays[number]
            if view is not None:
                array = np.ndarray(view.shape, view.dtype, array, view.offset, view.strides)
            results[name] = array
        return results


_ALONE = [np.empty(1)]
_UNSHARED = getrefcount(_ALONE[0])
"""The references to an array that only a list holds."""
