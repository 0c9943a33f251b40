"""The tensor that an output is read through."""

from __future__ import annotations

from collections.abc import Sequence

from lite.compat.paddlelite.enums import TargetType
from lite.compat.paddlelite.tensor import Tensor
from lite.errors import InputError
from lite.ir.types import Array
from lite.session.handles import OutputHandle


class OutputTensor(Tensor):
    """An output, as of the predictor's last run; before it, reading raises `InputError`."""

    def __init__(self, handle: OutputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle

    def numpy(self) -> Array:
        """The array, which is the caller's: the next run makes another one."""
        return self._handle.numpy()

    def lod(self) -> list[list[int]]:
        """The offsets of each level; empty where there are none."""
        return [list(level) for level in self._handle.lod()]

    def resize(self, shape: Sequence[int]) -> None:
        """Nothing to do: the run decides the shape."""

    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Raises `InputError`: outputs are read."""
        raise self._read_only()

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Raises `InputError`: outputs are read."""
        raise self._read_only()

    def _read_only(self) -> InputError:
        return InputError(f"{self._name!r} is an output of the model and can only be read")
