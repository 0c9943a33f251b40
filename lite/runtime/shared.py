"""Shared: what all runtimes of one plan have in common and never write after making it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.ops import Meta, OpSchema, get_schema
from lite.ops.image_layout import infer_in_layout
from lite.plan import Plan
from lite.plugin.kernel import KERNELS, Kernel


class Shared:
    """Aligned weights, picked kernels and prepared constants of a plan; safe to use from threads.

    `once` are the instructions whose results are constants, too: made of constants when the model is
    loaded.  On a target with memory of its own these are that target's objects.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schemas: tuple[OpSchema, ...] = tuple(get_schema(item.op) for item in plan.instructions)
        self.kernels: tuple[Kernel | None, ...] = tuple(
            None if schema.control_flow else KERNELS.get((item.op, item.place))
            for item, schema in zip(plan.instructions, self.schemas, strict=True)
        )
        self.blocks = tuple(tuple(Shared(block) for block in item.blocks) for item in plan.instructions)
        self.once = self._find_once()
        self._loaded: tuple[dict[int, Any], dict[int, Meta]] | None = None
        self._prepared: dict[tuple[int, str], Array] = {}
        self._lock = threading.RLock()

    @property
    def constants(self) -> Mapping[int, Any]:
        """Weights, and what is made of them once, by value index."""
        return self._load()[0]

    @property
    def metas(self) -> Mapping[int, Meta]:
        """The metas of the constants, with the elements of those that are arrays."""
        return self._load()[1]

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What `make` returned when this instruction first asked for `name`."""
        with self._lock:
            key = (instruction, name)
            if key not in self._prepared:
                self._prepared[key] = make()
            return self._prepared[key]

    def _find_once(self) -> frozenset[int]:
        constant = set(self.plan.constants)
        found: set[int] = set()
        for position, (item, schema) in enumerate(zip(self.plan.instructions, self.schemas, strict=True)):
            if schema.once and constant.issuperset(i for ids in item.inputs.values() for i in ids):
                found.add(position)
                constant.update(i for ids in item.outputs.values() for i in ids)
        return frozenset(found)

    def _load(self) -> tuple[dict[int, Any], dict[int, Meta]]:
        """Weights that lie unaligned in their file are copied, once."""
        with self._lock:
            if self._loaded is None:
                arrays = {n: np.require(a, requirements="A") for n, a in self.plan.constants.items()}
                values: dict[int, Any] = dict(arrays)
                metas = {index: Meta.of(array) for index, array in arrays.items()}
                for position in sorted(self.once):
                    self._run_once(position, values, metas)
                self._loaded = values, metas
            return self._loaded

    def _run_once(self, position: int, values: dict[int, Any], metas: dict[int, Meta]) -> None:
        """Enter the result of an instruction on constants; its kernel takes X and returns one value."""
        item, schema, kernel = self.plan.instructions[position], self.schemas[position], self.kernels[position]
        if kernel is None:
            raise ExecutionError(f"op {position}: {item.op} has no kernel")
        [source], [out] = item.inputs["X"], item.outputs["Out"]
        [meta] = infer_in_layout(schema, item.place.layout, {"X": [metas[source]]}, item.attrs, {"Out": 1})["Out"]
        result = kernel.run(values[source], **{name: item.attrs[name] for name in kernel.attrs})
        values[out] = result
        is_array = isinstance(result, np.ndarray)
        metas[out] = Meta.of(result) if is_array else Meta(meta.dtype, meta.shape, None, meta.lod)
