"""The aspect ratios of prior boxes."""

from __future__ import annotations

from collections.abc import Sequence


def expanded_ratios(ratios: Sequence[float], flip: bool) -> list[float]:
    """The aspect ratios of prior_box: 1, then each new ratio and, with `flip`, its inverse."""
    expanded = [1.0]
    for ratio in ratios:
        if all(abs(ratio - other) >= 1e-6 for other in expanded):
            expanded += [ratio, 1 / ratio] if flip else [ratio]
    return expanded
