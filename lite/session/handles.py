"""Handles: set inputs before ``predictor.run()``, and read outputs after it, one by one."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence

from lite.errors import InputError
from lite.ir.types import NO_LOD, Array, DType, Lod, Shape
from lite.session.inputs import InputSpec, checked_input, checked_lod


class InputHandle:
    """One input of a predictor; the array it holds is used by all runs without arguments."""

    def __init__(self, spec: InputSpec, fed: MutableMapping[str, tuple[Array, Lod]]) -> None:
        self._spec = spec
        self._fed = fed

    @property
    def name(self) -> str:
        """The input's name."""
        return self._spec.name

    @property
    def shape(self) -> Shape | None:
        """The shape of the array that the handle holds; before that, the model's, with symbolic sizes."""
        return self._fed[self.name][0].shape if self.name in self._fed else self._spec.shape

    @property
    def dtype(self) -> DType | None:
        """The dtype that the model declares; None if it declares none."""
        return self._spec.dtype

    def from_numpy(self, array: Array) -> None:
        """Hold an array, without copying it; raises `InputError` when its dtype or shape does not fit."""
        self._fed[self.name] = (checked_input(self._spec, array), self.lod())

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each level; raises `InputError` for an invalid LoD, and before `from_numpy`."""
        if self.name not in self._fed:
            raise InputError(f"input {self.name!r} has no array yet; call from_numpy before set_lod")
        self._fed[self.name] = (self._fed[self.name][0], checked_lod(self.name, lod))

    def lod(self) -> Lod:
        """The offsets of each level; empty if none were set."""
        return self._fed[self.name][1] if self.name in self._fed else NO_LOD


class OutputHandle:
    """One output of a predictor, as of its last run."""

    def __init__(self, name: str, get: Callable[[str], Array], get_lod: Callable[[str], Lod]) -> None:
        self.name = name
        self._get = get
        self._get_lod = get_lod

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape; raises `InputError` before the first run."""
        shape: tuple[int, ...] = self._get(self.name).shape
        return shape

    @property
    def dtype(self) -> DType:
        """The dtype; raises `InputError` before the first run."""
        return DType.from_numpy(self._get(self.name).dtype)

    def numpy(self) -> Array:
        """The array, which belongs to the caller; raises `InputError` before the first run."""
        return self._get(self.name)

    def lod(self) -> Lod:
        """The offsets of each level; raises `InputError` before the first run."""
        return self._get_lod(self.name)
