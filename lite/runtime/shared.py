"""Shared: what all runtimes of one plan have in common and never write after making it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

import numpy as np

from lite.ir.types import Array
from lite.ops import OpSchema, get_schema
from lite.plan import Plan
from lite.plugin.kernel import KERNELS, Kernel


class Shared:
    """Aligned weights, picked kernels and prepared constants of a plan; safe to use from threads."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schemas: tuple[OpSchema, ...] = tuple(get_schema(item.op) for item in plan.instructions)
        self.kernels: tuple[Kernel | None, ...] = tuple(
            None if schema.control_flow else KERNELS.get((item.op, item.place))
            for item, schema in zip(plan.instructions, self.schemas, strict=True)
        )
        self.blocks = tuple(tuple(Shared(block) for block in item.blocks) for item in plan.instructions)
        self._prepared: dict[tuple[int, str], Array] = {}
        self._lock = threading.RLock()

    @functools.cached_property
    def constants(self) -> dict[int, Array]:
        """The weights by value index.  Those that lie unaligned in their file are copied, once."""
        with self._lock:
            return {
                index: np.require(array, requirements="A") for index, array in self.plan.constants.items()
            }

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What `make` returned when this instruction first asked for `name`."""
        with self._lock:
            key = (instruction, name)
            if key not in self._prepared:
                self._prepared[key] = make()
            return self._prepared[key]
