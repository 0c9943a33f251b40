"""Place of ``paddlelite.lite``, and its translation to litebridge's targets."""

from __future__ import annotations

from collections.abc import Sequence

import lite
from lite.compat.paddlelite.enums import DataLayoutType, PrecisionType, TargetType
from lite.compat.paddlelite.environment import warn_ignored
from lite.errors import ConfigError
from lite.ir.types import HOST, DType

CPU = "cpu"
"""The target of compiled kernels; only the host has a kernel for every op."""

_TARGETS = {
    TargetType.X86: (CPU, HOST),
    TargetType.ARM: (CPU, HOST),
    TargetType.Host: (HOST,),
    TargetType.Any: (HOST,),
    TargetType.NNAdapter: (),
}
"""litebridge's targets in order of preference; ``set_nnadapter_device_names`` names devices."""


class Place:
    """The target, element type and layout of kernels.

    Paddle-Lite spells the second argument `percision`; the correct spelling is accepted, too.
    """

    def __init__(
        self,
        target: TargetType = TargetType.Unk,
        percision: PrecisionType = PrecisionType.FP32,
        layout: DataLayoutType = DataLayoutType.NCHW,
        device: int = 0,
        *,
        precision: PrecisionType | None = None,
    ) -> None:
        self.target = target
        self.precision = percision if precision is None else precision
        self.layout = layout
        self.device = device

    def is_valid(self) -> bool:
        """Whether target, element type and layout are all set."""
        return bool(self.target and self.precision and self.layout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{self.target.name}/{self.precision.name}/{self.layout.name}"

    def _key(self) -> tuple[TargetType, PrecisionType, DataLayoutType, int]:
        return self.target, self.precision, self.layout, self.device


def lite_places(places: Sequence[Place]) -> list[lite.Place] | None:
    """`places` as places of `lite.Config`, or None if none has kernels; the others give a warning.

    The model decides element types and layouts, but FP16 stores the weights of products as float16.
    """
    found: dict[lite.Place, None] = {}
    for place in places:
        if not isinstance(place, Place):
            raise ConfigError(f"set_valid_places: expected Place objects, got {place!r}")
        if place.target not in _TARGETS:
            warn_ignored(f"a place on {place.target.name}", "litebridge has no kernels for it")
        for target in _TARGETS.get(place.target, ()):
            is_half = place.precision == PrecisionType.FP16 and target != HOST
            found[lite.Place(target, DType.FLOAT16 if is_half else None)] = None
    return [*found] or None
