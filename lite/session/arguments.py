"""Checks the arguments of a predictor's methods, and puts input arrays in the model's order."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from lite.errors import InputError, suggest
from lite.ir.types import NO_LOD, Array, DType, Lod, is_known, shape_text
from lite.session.inputs import InputSpec, checked_input, checked_lod

T = TypeVar("T")

Fed = Mapping[str, tuple[Array, Lod]]
"""The arrays and LoDs that input handles hold, by input name."""


class ModelInputs:
    """The inputs of a model, by name and in its order."""

    def __init__(self, specs: Sequence[InputSpec]) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self._seen: dict[str, tuple[tuple[int, ...], np.dtype[np.generic]]] = {}
        """Shape and dtype of the last array that was checked for an input."""

    @property
    def names(self) -> list[str]:
        """Their names, in the model's order."""
        return list(self.specs)

    def gather(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None,
        fed: Fed,
    ) -> tuple[list[Array], list[Lod]]:
        """Check arrays and LoDs and return them in the model's order.

        If `inputs` is None, the arrays and LoDs of the input handles (`fed`) are used.

        Raises `InputError` for missing and unknown names, and for arrays and LoDs that do not fit.
        """
        if lods is None:
            given: Iterable[object] | None = None
            if isinstance(inputs, dict) and inputs.keys() == self.specs.keys():
                given = [inputs[name] for name in self.specs]
            elif isinstance(inputs, list | tuple) and len(inputs) == len(self.specs):
                given = inputs
            if given is not None:
                arrays = [
                    self._checked(spec, array) for spec, array in zip(self.specs.values(), given, strict=True)
                ]
                return arrays, [NO_LOD] * len(arrays)
        names = self.names
        levels: dict[str, Sequence[Sequence[int]]] = {}
        if inputs is None:
            by_name = {name: array for name, (array, _) in fed.items()}
            levels.update((name, lod) for name, (_, lod) in fed.items())
        elif isinstance(inputs, Mapping):
            by_name = dict(inputs)
        else:
            if len(require_list("inputs", inputs, "a dict by name or a list in order")) != len(names):
                raise InputError(
                    f"the model takes {len(names)} inputs ({', '.join(names)}), got {len(inputs)}"
                )
            by_name = dict(zip(names, inputs, strict=True))
        for name in by_name:
            require_name(name, names, "input")
        missing = [name for name in names if name not in by_name]
        if missing:
            raise InputError(f"inputs are missing: {', '.join(missing)}; the model takes {', '.join(names)}")
        for name, lod in require_mapping("lods", {} if lods is None else lods).items():
            levels[require_name(name, names, "input")] = lod
        arrays = [checked_input(self.specs[name], by_name[name]) for name in names]
        checked = {name: checked_lod(name, lod) for name, lod in levels.items()}
        return arrays, [checked.get(name, NO_LOD) for name in names]

    def _checked(self, spec: InputSpec, array: object) -> Any:
        """`checked_input`, without the check if the last array had the same shape and dtype."""
        seen = self._seen.get(spec.name)
        if type(array) is np.ndarray and seen == (array.shape, array.dtype):
            return array
        checked = checked_input(spec, array)
        if isinstance(checked, np.ndarray) and checked is array and spec.dtype not in (None, DType.STRING):
            self._seen[spec.name] = checked.shape, checked.dtype
        return checked

    def zeros(self, shapes: Mapping[str, Sequence[int]]) -> dict[str, Array]:
        """Zeros of these shapes: views of one element, which take no memory.  Tensor arrays are empty.

        Raises `InputError` for a missing or invalid shape.
        """
        return {name: self._zeros(name, shapes) for name in self.specs}

    def _zeros(self, name: str, shapes: Mapping[str, Sequence[int]]) -> Any:
        spec = self.specs[name]
        if spec.is_array:
            return []
        shape: Sequence[Any] | None = shapes.get(name, spec.shape if is_known(spec.shape) else None)
        if shape is None:
            declared = shape_text(spec.shape)
            raise InputError(
                f"prepare: the shape of input {name!r} is missing; the model declares {declared}"
            )
        try:
            return np.broadcast_to(np.zeros((), spec.numpy_dtype), tuple(shape))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"prepare: input {name!r}: {shape!r} is not a valid shape ({error}); write sizes of 0 or more"
            ) from error


def require_name(name: str, names: Sequence[str], what: str, owner: str = "the model") -> str:
    """`name`, if it is one of `names`; raises `InputError` with similar names otherwise."""
    if name not in names:
        near = suggest(str(name), names)
        raise InputError(f"{owner} has no {what} {name!r}{near}; it has {list(names)}")
    return name


def name_at(which: int | str, names: Sequence[str], what: str) -> str:
    """The name at a position, or the name itself; raises `InputError` for an unknown one."""
    if not isinstance(which, SupportsIndex):
        return require_name(which, names, what)
    position = operator.index(which)
    if not 0 <= position < len(names):
        raise InputError(f"the model has {len(names)} {what}s, numbered from 0; got number {position}")
    return names[position]


def require_mapping(what: str, argument: Mapping[str, T]) -> Mapping[str, T]:
    """`argument`, if it is a mapping; raises `InputError` otherwise."""
    if not isinstance(argument, Mapping):
        raise InputError(f"{what}: expected a dict by name, got a {type(argument).__name__}")
    return argument


def require_list(what: str, argument: Sequence[T], expected: str) -> Sequence[T]:
    """`argument`, if it is a list or tuple; raises `InputError` otherwise."""
    if not isinstance(argument, list | tuple):
        raise InputError(f"{what}: expected {expected}, got a {type(argument).__name__}")
    return argument


def require_mappings(
    what: str, argument: Mapping[str, T] | Sequence[Mapping[str, T]]
) -> list[Mapping[str, T]]:
    """A mapping, or those of a list; raises `InputError` for anything else."""
    if isinstance(argument, Mapping):
        return [argument]
    several = require_list(what, argument, "a dict by name")
    return [require_mapping(what, each) for each in several]
