"""Fake targets, for which the cast passes must insert casts.

A fake target has kernels for some ops. They check their arguments and compute as the host's kernels do, on
objects in their own memory, in another element type, or with images in NHWC, as the place states.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lite.ir.types import HOST, Array, DType, Layout, Place
from lite.ops import SCHEMAS
from lite.ops.image_layout import array_into
from lite.passes.placement.cast_insertion import CASTS
from lite.plugin.kernel import Attributes, host_kernel, kernel, kernels_of, unregister
from lite.plugin.kernel.target import TARGETS, register_target
from lite.plugin.loader import load_all_kernels

HALF = DType.FLOAT16

_HOST_ONLY = CASTS | {"lod_array_length", "tensor_array_to_tensor"}
"""Ops that no fake target takes: casts, and those that read tensor arrays."""


class FakeTensor:
    """An array in the memory of a target; numpy cannot read it."""

    alive = 0

    def __init__(self, target: str, elements: Array) -> None:
        assert isinstance(elements, np.ndarray)
        self.target = target
        self._elements = elements.copy()
        FakeTensor.alive += 1

    def __del__(self) -> None:
        FakeTensor.alive -= 1

    def __array__(self, *_: object, **__: object) -> Array:
        raise AssertionError("a FakeTensor must not be read as an array")

    def read(self, target: str) -> Array:
        """The elements, for the target that made this."""
        assert target == self.target
        return self._elements


def movable_ops() -> list[str]:
    """The ops that a fake target can take: kernels, but no casts, effects, LoDs or random numbers."""
    load_all_kernels()
    return [name for name in SCHEMAS if kernels_of(name) and _is_movable(name)]


@contextmanager
def fake_target(place: Place, ops: Iterable[str], *, own_memory: bool = False) -> Iterator[Counter[str]]:
    """Register a target with kernels for `ops`, until the end of the block; yields counts of their runs."""
    calls: Counter[str] = Counter()
    entered = [(op, place) for op in ops]
    for op, _ in entered:
        _register(op, place, calls, own_memory)
    if own_memory:
        register_target(place.target, own_memory=True)
        copying = Place(place.target)
        for op in ("io_copy", "io_copy_once"):
            kernel(op, place.target)(_copy(op, place.target, calls))
            entered.append((op, copying))
    try:
        yield calls
    finally:
        for op, where in entered:
            unregister(op, where)
        if own_memory:
            TARGETS.remove(place.target)


def _is_movable(op: str) -> bool:
    schema = SCHEMAS[op]
    if schema.control_flow or schema.effect or not schema.foldable or op in _HOST_ONLY:
        return False
    return not host_kernel(op).takes_lods


def _register(op: str, place: Place, calls: Counter[str], own_memory: bool) -> None:
    host = host_kernel(op)
    slots = [SCHEMAS[op].inputs[name] for name in host.slots]

    def run(*arguments: Any, attrs: Attributes) -> Any:
        return run_with(arguments, host.keywords(attrs))

    def run_with_metas(*arguments: Any, attrs: Attributes, metas: Any) -> Any:
        return run_with(arguments, {**host.keywords(attrs), "metas": metas})

    def run_with(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        calls[op] += 1
        taken = [
            _each(
                value,
                functools.partial(
                    _argument, place=place, own_memory=own_memory, strict=place.dtype in slot.dtypes
                ),
            )
            for slot, value in zip(slots, arguments, strict=True)
        ]
        returned = host.run(*taken, **keywords)
        return _each(returned, lambda item: _returned(item, place, own_memory))

    register = kernel(
        op, place.target, dtype=place.dtype, layout=place.layout, slots=host.slots, attrs=Attributes
    )
    register(run_with_metas if host.takes_metas else run)


def _copy(op: str, target: str, calls: Counter[str]) -> Callable[..., Any]:
    def io_copy(X: Any, *, source: str, destination: str) -> Any:
        calls[op] += 1
        assert {source, destination} == {HOST, target}
        if destination == HOST:
            return _each(X, lambda item: item.read(target).copy())
        return _each(X, lambda item: FakeTensor(target, item))

    return io_copy


def _argument(value: FakeTensor | Array, *, place: Place, own_memory: bool, strict: bool) -> Array:
    """An argument as the host's kernel takes it; with `strict`, it must have the place's type."""
    assert isinstance(value, FakeTensor) == own_memory
    array = value.read(place.target) if isinstance(value, FakeTensor) else value
    if place.dtype is not None and array.dtype.kind == "f":
        assert not strict or array.dtype == place.dtype.numpy
        array = array.astype(np.float32)
    return array_into(array, Layout.NCHW) if place.layout is Layout.NHWC else array


def _returned(value: Any, place: Place, own_memory: bool) -> Any:
    array = np.asarray(value)
    if place.dtype is not None and array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = array.astype(place.dtype.numpy)
    array = np.array(array_into(array, Layout.NHWC) if place.layout is Layout.NHWC else array, order="C")
    return FakeTensor(place.target, array) if own_memory else array


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    """Apply `function` to the tensors in an argument or result of a kernel."""
    if isinstance(value, list | tuple):
        return type(value)(_each(item, function) for item in value)
    return None if value is None else function(value)
