"""CollectingLoop: runs a loop whose tensor arrays get one element, or none, in each iteration."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from lite.errors import LiteError
from lite.ir.types import NO_LOD, Array
from lite.ops import Meta
from lite.plugin.kernel import KERNEL_ERRORS, TensorArray
from lite.plugin.kernel.compilation import NotCompiledError
from lite.plugin.kernel.launches import Check, Joined, LoopEnd
from lite.runtime.allocation import allocate
from lite.runtime.block_run import BlockRun
from lite.runtime.block_step import AsLaunches, holds
from lite.runtime.collected import CollectedBody, Growth
from lite.runtime.nested import NestedRuntime

MAX_WAYS = 8
"""Number of shapes of arguments whose launches are kept."""

_ROWS = 16, 1024
"""The least and the most iterations of a launch."""

_BYTES = 1 << 20
"""The bytes that a launch should collect in an iteration's place; more iterations follow in another one."""


class NotCollectedError(Exception):
    """An iteration wrote to another place than the end of its array, or computed a LoD."""


class CollectingLoop:
    """Runs the body of a loop without its tensor arrays, and adds the elements to them.

    Where the body only launches, many iterations are one launch.
    """

    def __init__(self, body: CollectedBody, runtime: NestedRuntime, as_launches: AsLaunches) -> None:
        self.runtime = runtime
        self._body = body
        self._as_launches = as_launches
        self._run = BlockRun(runtime)
        self._launches: dict[Hashable, _LoopLaunch | None] = {}

    def __call__(self, values: Sequence[Any], most: int, endless: Callable[[], Exception]) -> list[Any]:
        """The carried values after the loop; the given ones have no LoDs.

        Raises `NotCollectedError` where the whole loop must run with its arrays, and `endless()` after `most`
        iterations.
        """
        body = self._body
        current = [values[n] for n in body.kept]
        added: list[list[Array]] = [[] for _ in body.growing]
        starts = [len(values[each.array] or ()) for each in body.growing]
        ran, before, is_tried = 0, None, False
        while holds(current[0]):
            if ran == most:
                raise endless()
            shapes = tuple([value.shape if isinstance(value, np.ndarray) else None for value in current])
            if shapes == before and shapes not in self._launches and not is_tried:
                is_tried = True
                self._add_launch(shapes, current)
            launch, before = self._launches.get(shapes), shapes
            if launch is None:
                results, lods = self._run(current, [NO_LOD] * len(current))
                if any(lods):
                    raise NotCollectedError
                count, rows = 1, [[result] for result in results[body.carried :]]
            else:
                count, results, rows = launch.run(current)
                if ran + count > most:
                    raise endless()
            current[: body.carried] = results[: body.carried]
            for each, elements, start in zip(body.growing, added, starts, strict=True):
                if each.index is not None:
                    expected = np.arange(start + ran, start + ran + count)
                    if not np.array_equal(np.ravel(rows[each.index - body.carried]), expected):
                        raise NotCollectedError
                found = rows[each.item - body.carried]
                if each.condition is not None:
                    flags = rows[each.condition - body.carried]
                    # Copies: a row lies in the memory of all, also of those that are left out.
                    found = [row.copy() for row, flag in zip(found, flags, strict=True) if flag.item()]
                elements.extend(found)
            ran += count
        carried = current[: body.carried]
        results = carried if ran else [None if value is None else np.array(value) for value in carried]
        for each, elements in zip(body.growing, added, strict=True):
            results.insert(each.array, _extended(values[each.array] or (), elements, each))
        return results

    def _add_launch(self, shapes: Hashable, values: Sequence[Any]) -> None:
        """Keep the launch for values of these shapes, or None where an op needs Python."""
        if len(self._launches) == MAX_WAYS:
            self._launches.clear()
        is_possible = all(isinstance(value, np.ndarray) for value in values)
        try:
            self._launches[shapes] = self._made(values) if is_possible else None
        except NotCompiledError:
            return  # a later run may find it
        except (LiteError, *KERNEL_ERRORS):
            self._launches[shapes] = None  # an iteration raises the error

    def _made(self, values: Sequence[Array]) -> _LoopLaunch | None:
        args = [np.empty_like(value, order="C") for value in values]
        block = self._as_launches(self.runtime, args)
        if block is None or block.target is None:
            return None  # an op needs Python, or there is nothing to launch
        runtime = self.runtime.for_arguments(args)
        known = runtime.prepare(args).metas
        metas = [known[index] for index in runtime.plan.results]
        carried = self._body.carried
        pairs = zip(metas[:carried], args, strict=False)
        if any((meta.shape, meta.dtype.numpy) != (arg.shape, arg.dtype) for meta, arg in pairs):
            return None
        largest = max(_bytes(meta) for meta in metas[carried:])
        if not largest:
            return None
        limit = min(max(_BYTES // largest, _ROWS[0]), _ROWS[1])
        outs = [(meta.sizes, meta.dtype.numpy) for meta in metas[:carried]]
        outs += [((limit, *meta.sizes), meta.dtype.numpy) for meta in metas[carried:]]
        arrays = [allocate(*out) for out in outs]
        made = block.target.loop(block, args, arrays[:carried], limit, arrays[carried:])
        if made is None:
            raise NotCompiledError("a loop")
        launch, last_end = made
        joined = block.target.join([launch], [[(0, number, 0)] for number, _ in launch.arrays])
        return _LoopLaunch(joined, last_end, block.checks, outs, carried)


class _LoopLaunch:
    """Some iterations of a loop as one launch; `outs` are the shapes and dtypes of what it writes."""

    def __init__(
        self,
        joined: Joined,
        last_end: Callable[[], LoopEnd],
        checks: Sequence[Check],
        outs: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
        carried: int,
    ) -> None:
        self._joined, self._last_end, self._checks = joined, last_end, checks
        self._outs, self._carried = outs, carried

    def run(self, values: Sequence[Array]) -> tuple[int, list[Array], list[list[Array]]]:
        """The number of iterations, the carried values after them, and the rows of the other results."""
        for check in self._checks:
            check()  # forgets the error of an interrupted run
        arrays = [allocate(*out) for out in self._outs]
        self._joined([*values, *arrays])
        count = self._last_end().iterations
        for check in self._checks:
            error = check()
            if error is not None:
                raise error
        rows = [[array[n, ...] for n in range(count)] for array in arrays[self._carried :]]
        return count, arrays[: self._carried], rows


def _extended(array: Sequence[Array], elements: Sequence[Array], growth: Growth) -> TensorArray:
    return TensorArray([*reversed(elements), *array] if growth.is_first else [*array, *elements])


def _bytes(meta: Meta) -> int:
    return int(np.prod(meta.sizes, dtype=np.int64)) * meta.dtype.itemsize
