"""Requests that run together: which may, how their inputs are joined, how their outputs are divided."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.serving.models.model_value import Value


@dataclass(frozen=True)
class Padding:
    """Pads the end of `axis` to a multiple of `multiple`, and to the longest of the batch, with `value`."""

    axis: int
    multiple: int = 1
    value: float = 0.0


@dataclass(frozen=True)
class Batching:
    """How requests are joined along axis 0.

    max_size: most rows; 1 joins nothing.
    delay_us: how long a request waits for others while the batch is not full.
    preferred: sizes that run without waiting.
    pad: rules for inputs whose sizes differ, by name.
    """

    max_size: int = 1
    delay_us: int = 0
    preferred: tuple[int, ...] = ()
    pad: Mapping[str, Padding] = field(default_factory=dict)

    def key(self, inputs: Mapping[str, Value]) -> tuple[int, Hashable | None]:
        """The number of rows, and what requests of one batch have in common, or None if it runs alone."""
        arrays = {name: value for name, value in inputs.items() if not isinstance(value, list)}
        if self.max_size <= 1 or len(arrays) != len(inputs):
            return 1, None
        rows = {array.shape[0] if array.ndim else 0 for array in arrays.values()}
        if len(rows) != 1 or not 0 < max(rows) < self.max_size:
            return max(max(rows), 1), None
        return rows.pop(), tuple(
            (name, array.dtype.char, self._common(name, array.shape)) for name, array in arrays.items()
        )

    def _common(self, name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        rule = self.pad.get(name)
        sizes = list(shape[1:])
        if rule is not None and 0 < rule.axis < len(shape):
            sizes[rule.axis - 1] = -1
        return tuple(sizes)


def join(batching: Batching, requests: Sequence[Mapping[str, Value]]) -> Mapping[str, Value]:
    """The inputs of a batch; padded by the rules also if it is one request."""
    names = list(requests[0])
    if len(requests) == 1 and not batching.pad:
        return requests[0]
    return {
        name: _joined(batching.pad.get(name), [_array(each[name]) for each in requests]) for name in names
    }


def divide(outputs: Mapping[str, Value], rows: Sequence[int]) -> list[Mapping[str, Array]]:
    """The outputs of each request; raises `ExecutionError` if an output has other rows than the inputs."""
    if len(rows) == 1:
        raise ExecutionError("a batch of one request is not divided")
    total = sum(rows)
    parts: dict[str, list[Array]] = {}
    for name, value in outputs.items():
        if isinstance(value, list) or value.ndim == 0 or value.shape[0] != total:
            raise ExecutionError(f"output {name!r}: expected {total} rows for a batch of {total}")
        parts[name] = np.split(value, np.cumsum(rows)[:-1])
    return [{name: parts[name][number] for name in parts} for number in range(len(rows))]


def _array(value: Value) -> Array:
    if isinstance(value, list):
        raise ExecutionError("a list of tensors cannot be batched or padded")
    return value


def _joined(rule: Padding | None, arrays: Sequence[Array]) -> Array:
    if rule is None or not 0 <= rule.axis < arrays[0].ndim:
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    longest = max(array.shape[rule.axis] for array in arrays)
    size = -(-longest // rule.multiple) * rule.multiple
    return np.concatenate([_padded(array, rule, size) for array in arrays])


def _padded(array: Array, rule: Padding, size: int) -> Array:
    missing = size - array.shape[rule.axis]
    if not missing:
        return array
    widths = [(0, missing if axis == rule.axis else 0) for axis in range(array.ndim)]
    return np.pad(array, widths, constant_values=rule.value)
