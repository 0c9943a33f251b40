"""How values that are scattered into a tensor join what is there."""

from collections.abc import Callable

import numpy as np

from lite.plugin.kernel import Array


def _assign(target: Array, places: tuple[Array, ...], values: Array) -> None:
    target[places] = values


def _by(function: Callable[[Array, Array], Array]) -> Callable[[Array, tuple[Array, ...], Array], None]:
    at: Callable[[Array, tuple[Array, ...], Array], None] = function.at  # type: ignore[attr-defined]
    return at


UPDATES: dict[str, Callable[[Array, tuple[Array, ...], Array], None]] = {
    "assign": _assign,
    "add": _by(np.add),
    "mul": _by(np.multiply),
    "multiply": _by(np.multiply),
    "amax": _by(np.maximum),
    "amin": _by(np.minimum),
}
"""By the name of the reduction: changes a tensor at places that may be named more than once."""
