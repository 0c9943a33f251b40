"""Choice of the layers that stay in float, by the error that each layer causes for the time that it gains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from lite.ir.types import Array
from lite.quantization.metrics import Drop
from lite.quantization.plan import Choice
from lite.quantization.recipe import Recipe

SAMPLES = 8
"""The number of samples on which models are compared."""

Outputs = Sequence[Mapping[str, Array]]


class Runs(Protocol):
    """Outputs of the float model and of quantised ones on the same samples."""

    exact: list[Mapping[str, Array]]

    def outputs(self, recipe: Recipe) -> list[Mapping[str, Array]]:
        """The outputs of the quantised model that `recipe` describes."""


def choose(
    runs: Runs,
    choices: Sequence[Choice],
    recipe: Recipe,
    drop: Drop,
    max_drop: float,
    gains: Mapping[str, float],
    advance: Callable[[int, int], None],
) -> list[Choice]:
    """Keep the fewest layers in float with which the drop is at most `max_drop`, the most costly first.

    First measures each layer alone.  A layer costs its drop for each microsecond of `gains`; those without a
    gain cost most.  The number of layers is then searched by bisection, which takes the drop to fall with
    each layer in float.
    """
    open_choices = [each for each in choices if each.is_quantized]
    steps = len(open_choices) + len(open_choices).bit_length() + 1
    done = 0

    def measured(layers: Collection[str]) -> float:
        nonlocal done
        done += 1
        advance(min(done, steps), steps)
        if not layers:
            return 0.0
        got = runs.outputs(replace(recipe, layers=layers))
        return max(drop(exact, each) for exact, each in zip(runs.exact, got, strict=True))

    drops = {each.layer.name: measured({each.layer.name}) for each in open_choices}

    def cost(name: str) -> tuple[bool, float]:
        gain = gains.get(name, 0.0)
        return (gain <= 0, drops[name]) if gain <= 0 else (False, drops[name] / gain)

    costly = sorted(drops, key=cost, reverse=True)
    low, high = 0, len(costly)
    if measured(set(costly)) <= max_drop:
        high = 0
    while low < high:
        middle = (low + high) // 2
        if measured(set(costly[middle:])) <= max_drop:
            high = middle
        else:
            low = middle + 1
    kept = set(costly[:high])
    return [_result(each, drops, gains, kept) for each in choices]


def _result(
    choice: Choice, drops: Mapping[str, float], gains: Mapping[str, float], kept: Collection[str]
) -> Choice:
    name = choice.layer.name
    if name not in drops:
        return choice
    gain = gains.get(name)
    reason = ""
    if name in kept:
        reason = (
            "it gains no time" if gain is not None and gain <= 0 else "it costs much for the time it gains"
        )
    return replace(choice, is_quantized=name not in kept, reason=reason, drop=drops[name], gain=gain)
