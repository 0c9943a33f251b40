"""Chooses the cases of the conformance kit: few of each op, which together show most of what all show."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from lite.ops import get_schema
from lite.tools.conformance.cases import Case

MOST_CASES = 14
"""The largest number of cases of an op."""

MOST_VALUES = 6
"""How many values of one attribute count as different."""


def chosen(cases: Sequence[Case], always: Sequence[Case] = ()) -> list[Case]:
    """The cases that show most features, chosen one after the other, in the order in which they were found.

    The cases of `always` are chosen before.  The next is a float32 case with elements, where there is one:
    several devices take no other.  Then each later case is the one with most features that the earlier ones
    lack, until none has any.
    """
    features = [frozenset(features_of(case)) for case in cases]
    picked = [n for n, case in enumerate(cases) if any(case is other for other in always)]
    shown: set[Hashable] = {feature for n in picked for feature in features[n]}
    most = len(picked) + MOST_CASES
    while len(picked) < most:
        rest = [n for n in range(len(cases)) if n not in picked]
        best = max(rest, key=lambda n: _weight(features[n] - shown, cases[n], first=not picked), default=None)
        if best is None or not features[best] - shown:
            break
        picked.append(best)
        shown |= features[best]
    return [cases[n] for n in sorted(picked)]


def features_of(case: Case) -> Iterator[Hashable]:
    """What a case shows: attributes with values, slots with counts, element types, ranks, empty tensors.

    A feature of a float32 case with elements counts apart from the same feature of another case, because a
    device that takes float32 only has to show it, too.
    """
    kind = "float32" if is_real(case) else "other"
    schema = get_schema(case.op)
    for name, value in case.attrs.items():
        default = schema.attrs[name].default if name in schema.attrs else None
        yield kind, name, "default" if value == default else _value(value)
    for side, slots in (("in", case.inputs), ("out", case.outputs)):
        for slot, items in slots.items():
            yield kind, side, slot, min(len(items), 3)
            for item in items[:1]:
                array = item.array
                yield side, slot, str(array.dtype)
                yield kind, side, slot, "rank", array.ndim
                yield side, slot, "empty", not array.size
    first = next((items[0].array for items in case.inputs.values() if items), None)
    for slot, items in list(case.inputs.items())[1:]:
        for item in items[:1]:
            if first is not None:
                yield kind, slot, "like the first", item.array.shape == first.shape
    if first is not None and first.ndim > 2:
        yield kind, "square", first.shape[-1] == first.shape[-2]


def is_real(case: Case) -> bool:
    """Whether a case reads float32 tensors and all of its tensors have elements."""
    arrays = [item.array for side in (case.inputs, case.outputs) for items in side.values() for item in items]
    return any(array.dtype == np.float32 for array in arrays) and all(array.size for array in arrays)


def _weight(new: frozenset[Hashable], case: Case, *, first: bool) -> tuple[bool, float]:
    real = sum(isinstance(feature, tuple) and feature[0] == "float32" for feature in new)
    # A feature on a tensor that devices take is worth more than one on others.
    return (first and is_real(case)), 2 * real + (len(new) - real)


def _value(value: object) -> Hashable:
    """A value of an attribute; long lists and numbers of large variety are put together."""
    if isinstance(value, float):
        return "negative" if value < 0 else "zero" if value == 0 else "below 1" if value < 1 else "positive"
    if isinstance(value, list):
        return json.dumps(value if len(value) <= MOST_VALUES else [*value[:MOST_VALUES], "…"])
    return json.dumps(value)
