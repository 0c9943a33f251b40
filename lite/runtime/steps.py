"""Steps of instructions: closures that fetch a kernel's arguments and store its results."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plugin.kernel import KernelFunction, TensorArray, is_tensor_array
from lite.runtime.segment import LODS, NOTHING, Env, Step

Argument = int | tuple[int, ...]
"""The value index of a slot, or the indices of a repeated slot."""

Target = int | tuple[int, ...] | None
"""The value index (or indices) that an output slot is stored at; None for a slot that the op lacks."""

Values = Env | Mapping[int, Any]


def writing_step(function: KernelFunction, arguments: Sequence[Argument], out: int) -> Step:
    """The step of a kernel that writes into the buffer of its only output."""
    if len(arguments) == 1 and isinstance(arguments[0], int):
        return _unary_step(function, arguments[0], out)
    if len(arguments) == 2 and isinstance(arguments[0], int) and isinstance(arguments[1], int):
        return _binary_step(function, arguments[0], arguments[1], out)
    fetch = argument_fetcher(arguments)

    def step(env: Env) -> None:
        function(*fetch(env), out=env[out])

    return step


def writing_many_step(
    function: KernelFunction, arguments: Sequence[Argument], outs: Sequence[Target]
) -> Step:
    """The step of a kernel that writes into several buffers; it gets them in the structure of its result."""
    fetch = argument_fetcher(arguments)
    buffers = argument_fetcher([NOTHING if out is None else out for out in outs])
    if len(outs) == 1:

        def step(env: Env) -> None:
            function(*fetch(env), out=buffers(env)[0])

    else:

        def step(env: Env) -> None:
            function(*fetch(env), out=buffers(env))

    return step


def returning_step(
    function: KernelFunction,
    arguments: Sequence[Argument],
    outs: Sequence[Target],
    *,
    lod_slots: Sequence[str] = (),
    may_share: Collection[int] = (),
) -> Step:
    """The step of a kernel that returns its results; one that shares memory with an argument is copied.

    With `lod_slots` (the names of `outs`) the kernel returns ``(results, LoDs by slot)``.  The values
    `may_share` are never copied: views, and objects of a target.
    """
    fetch = argument_fetcher(arguments)
    is_single = len(outs) == 1

    def step(env: Env) -> None:
        values = fetch(env)
        returned = function(*values)
        if lod_slots:
            returned, lods = returned
            for slot, out in zip(lod_slots, outs, strict=True):
                for index, lod in zip(_indices(out), lods.get(slot, ()), strict=False):
                    env[LODS][index] = lod
        for out, part in zip(outs, [returned] if is_single else returned, strict=False):
            if isinstance(out, int):
                env[out] = part if out in may_share else copy_if_shared(part, values)
            elif out is not None:
                for index, item in zip(out, part, strict=True):
                    env[index] = item if index in may_share else copy_if_shared(item, values)

    return step


class ViewStep:
    """The step of a kernel that returns a view of its argument, which is stored without a copy."""

    def __init__(self, function: KernelFunction, arguments: Sequence[Argument], out: int) -> None:
        self.out = out
        self._function = function
        self._arguments = arguments
        self._fetch = argument_fetcher(arguments)

    @property
    def indices(self) -> set[int]:
        """The values that the kernel reads."""
        return {i for each in self._arguments for i in ([each] if isinstance(each, int) else each)}

    def __call__(self, env: Env | MutableMapping[int, Any]) -> None:
        """Make the view."""
        env[self.out] = self._function(*self._fetch(env))


class SelectStep:
    """The step of a kernel that returns a copy of one of `values`, the one whose number is in `mask`."""

    def __init__(self, function: KernelFunction, values: Sequence[int], mask: int, out: int) -> None:
        self.values, self.mask, self.out = tuple(values), mask, out
        self._function = function

    def __call__(self, env: Env) -> None:
        """Copy the value."""
        env[self.out] = self._function([env[index] for index in self.values], env[self.mask])


class Release:
    """The step that drops values which no later step reads."""

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices = tuple(indices)

    def __call__(self, env: Env) -> None:
        """Drop the values."""
        for index in self._indices:
            env[index] = None


def copy_if_shared(value: Any, arguments: Sequence[Any]) -> Any:
    """`value`, or a copy where it shares memory with an argument, whose buffer will be overwritten."""
    if isinstance(value, TensorArray):
        return value  # its elements are its own
    if isinstance(value, list):
        # Versions of a tensor array share their elements, which are never written.
        before = next((argument for argument in arguments if is_tensor_array(argument)), [])
        others = [argument for argument in arguments if not is_tensor_array(argument)]
        changed = compress(range(len(value)), map(operator.is_not, value, before))
        for position in [*changed, *range(len(before), len(value))]:
            value[position] = copy_if_shared(value[position], others)
        return value
    if value is None:
        return None
    array = np.asarray(value)
    return array.copy() if shares_memory(array, arguments) else array


def shares_memory(array: Array, arguments: Sequence[Any]) -> bool:
    """Whether an array may share memory with an argument, or with an element of a list."""
    owns = array.base is None
    for argument in arguments:
        for other in argument if is_tensor_array(argument) else [argument]:
            # Of arrays that own their memory, only the argument itself shares that: a kernel cannot return
            # the array of which it got a view.
            if other is array or (not owns and other is not None and np.may_share_memory(array, other)):
                return True
    return False


def argument_fetcher(arguments: Sequence[Argument]) -> Callable[[Values], tuple[Any, ...]]:
    """A function that picks the arguments from a run's values."""
    indices = [argument for argument in arguments if isinstance(argument, int)]
    if len(indices) == len(arguments) > 1:
        return operator.itemgetter(*indices)  # faster than the lambda below
    return lambda env: tuple([_fetch(env, argument) for argument in arguments])


def _unary_step(function: KernelFunction, a: int, out: int) -> Step:
    def step(env: Env) -> None:
        function(env[a], out=env[out])

    return step


def _binary_step(function: KernelFunction, a: int, b: int, out: int) -> Step:
    def step(env: Env) -> None:
        function(env[a], env[b], out=env[out])

    return step


def _fetch(env: Values, argument: Argument) -> Any:
    return env[argument] if isinstance(argument, int) else [env[index] for index in argument]


def _indices(out: Target) -> tuple[int, ...]:
    return (out,) if isinstance(out, int) else out or ()
