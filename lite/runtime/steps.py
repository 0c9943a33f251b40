"""Steps: closures that fetch a kernel's arguments from the run's values and store its results."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plugin.kernel import KernelFunction
from lite.runtime.segment import LODS, NOTHING, Env, Step

Argument = int | tuple[int, ...]
"""A value index, or those of a repeated slot."""

Values = Env | Mapping[int, Any]

Target = int | tuple[int, ...] | None
"""Where one output slot goes; None for a slot that the op does not have."""


def writing_step(function: KernelFunction, arguments: Sequence[Argument], out: int) -> Step:
    """The kernel writes into the buffer of its only output."""
    if len(arguments) == 1 and isinstance(arguments[0], int):
        return _unary(function, arguments[0], out)
    if len(arguments) == 2 and isinstance(arguments[0], int) and isinstance(arguments[1], int):
        return _binary(function, arguments[0], arguments[1], out)
    fetch = fetcher(arguments)

    def step(env: Env) -> None:
        function(*fetch(env), out=env[out])

    return step


def writing_many_step(
    function: KernelFunction, arguments: Sequence[Argument], outs: Sequence[Target]
) -> Step:
    """The kernel writes into buffers of several outputs, given in the structure it would return."""
    fetch, buffers = fetcher(arguments), fetcher([NOTHING if out is None else out for out in outs])
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
    as_is: Collection[int] = (),
) -> Step:
    """The kernel returns its results.  What shares memory with an argument is copied.

    With `lod_slots` (the names of `outs`) the kernel returns ``(results, LoDs by slot)``.  The values
    `as_is` are not copied: views, and objects of a target, which answers itself for what they share.
    """
    fetch = fetcher(arguments)
    single = len(outs) == 1

    def step(env: Env) -> None:
        values = fetch(env)
        returned = function(*values)
        if lod_slots:
            returned, lods = returned
            for slot, out in zip(lod_slots, outs, strict=True):
                for index, lod in zip(_indices(out), lods.get(slot, ()), strict=False):
                    env[LODS][index] = lod
        for out, part in zip(outs, [returned] if single else returned, strict=False):
            if isinstance(out, int):
                env[out] = part if out in as_is else own(part, values)
            elif out is not None:
                for index, item in zip(out, part, strict=True):
                    env[index] = item if index in as_is else own(item, values)

    return step


def view_step(function: KernelFunction, arguments: Sequence[Argument], out: int) -> Step:
    """The kernel returns a view of its argument, which is what is wanted."""
    fetch = fetcher(arguments)

    def step(env: Env) -> None:
        env[out] = function(*fetch(env))

    return step


class Release:
    """The step that forgets values which nothing reads any more."""

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices = tuple(indices)

    def __call__(self, env: Env) -> None:
        """Empty their places in `env`."""
        for index in self._indices:
            env[index] = None


def own(value: Any, arguments: Sequence[Any]) -> Any:
    """`value`, copied where it shares memory with an argument: buffers are written again later."""
    if isinstance(value, list):
        return [own(item, [a for a in arguments if not isinstance(a, list)]) for item in value]
    if value is None:
        return None
    array = np.asarray(value)
    return array.copy() if shares_memory(array, arguments) else array


def shares_memory(array: Array, arguments: Sequence[Any]) -> bool:
    """Whether an array may lie in the memory of an argument, or of an element of one."""
    for argument in arguments:
        for other in argument if isinstance(argument, list) else [argument]:
            if other is not None and np.may_share_memory(array, other):
                return True
    return False


def _unary(function: KernelFunction, a: int, out: int) -> Step:
    def step(env: Env) -> None:
        function(env[a], out=env[out])

    return step


def _binary(function: KernelFunction, a: int, b: int, out: int) -> Step:
    def step(env: Env) -> None:
        function(env[a], env[b], out=env[out])

    return step


def fetcher(arguments: Sequence[Argument]) -> Callable[[Values], tuple[Any, ...]]:
    """A function that picks the arguments from a run's values."""
    indices = [argument for argument in arguments if isinstance(argument, int)]
    if len(indices) == len(arguments) > 1:
        return operator.itemgetter(*indices)  # in C
    return lambda env: tuple([_fetch(env, argument) for argument in arguments])


def _fetch(env: Values, argument: Argument) -> Any:
    return env[argument] if isinstance(argument, int) else [env[index] for index in argument]


def _indices(out: Target) -> tuple[int, ...]:
    return (out,) if isinstance(out, int) else out or ()
