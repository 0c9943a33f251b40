"""Place of ``paddlelite.lite``, and which of our targets it asks for."""

from __future__ import annotations

from collections.abc import Sequence

import lite
from lite.compat.paddlelite.enums import DataLayoutType, PrecisionType, TargetType
from lite.compat.paddlelite.notice import warn_once
from lite.errors import ConfigError
from lite.ir.types import HOST

CPU = "cpu"
"""The target of kernels for one kind of processor; the host has one for every op."""

_TARGETS = {
    TargetType.X86: (CPU, HOST),
    TargetType.ARM: (CPU, HOST),
    TargetType.Host: (HOST,),
    TargetType.Any: (HOST,),
    TargetType.NNAdapter: (),
}
"""Our targets in order of preference; devices are named by ``set_nnadapter_device_names``."""


class Place:
    """Where kernels may run: target, element type and layout.

    The second argument is called `percision` in Paddle-Lite; the right spelling is taken as well.
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
        """Whether target, element type and layout are all said."""
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
    """The places as `lite.Config` takes them, or None where none is left; others give a warning.

    Element types and layouts do not choose here: a kernel is picked by what the model computes in.
    """
    targets: dict[str, None] = {}
    for place in places:
        if not isinstance(place, Place):
            raise ConfigError(f"set_valid_places: expected Place objects, got {place!r}")
        if place.target not in _TARGETS:
            warn_once(f"a place on {place.target.name}", "there are no kernels for it; the others are used")
        targets.update(dict.fromkeys(_TARGETS.get(place.target, ())))
    return [lite.Place(target) for target in targets] or None
