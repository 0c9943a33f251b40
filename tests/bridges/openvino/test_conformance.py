"""Every case of the kit: right, or declined with a sentence, with arguments and with constants."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.bridge import BRIDGES
from lite.plugin.bridge_op import meta_of
from lite.plugin.convert import why_not
from lite.plugin.loader import load_all_bridges
from lite.tools.conformance import Case, read_cases
from tests.bridges.openvino.case_graph import case_graph
from tests.bridges.openvino.opened import opened

TOLERANCE = 1e-3

load_all_bridges("openvino")
BRIDGED = sorted({case.op for case in read_cases()} & {op for device, op in BRIDGES if device == "openvino"})


def outcomes(case: Case) -> Iterator[str]:
    """With arguments, then with constants: right, declined, or what is wrong.

    An op whose further outputs the device does not make is run without those, too.
    """
    inputs = sum(len(items) for items in case.inputs.values())
    for constants in (False, True)[: max(min(inputs, 2), 1)]:
        found = _outcome(case, constants, None)
        if found == "declined" and len(case.outputs) > 1:
            found = _outcome(case, constants, 1)
        yield found


def _outcome(case: Case, constants: bool, outputs: int | None) -> str:
    device = opened()
    graph, arrays = case_graph(case, constants=constants, outputs=outputs)
    (node,) = graph
    reason = why_not(node, device)
    if reason is not None:
        return "declined" if len(reason.split()) > 2 else f"{case.name}: no sentence: {reason}"
    model = device.compile(graph, tuple(meta_of(arg) for arg in graph.args))
    have = model.run(arrays, [None] * len(graph.results))
    wanted = [item.array for items in list(case.outputs.values())[:outputs] for item in items]
    wrong = [
        f"{case.name}: {difference(*pair)}" for pair in zip(have, wanted, strict=True) if difference(*pair)
    ]
    return wrong[0] if wrong else "right"


def difference(have: Array, want: Array) -> str:
    """What is wrong with a result, or nothing."""
    if have.shape != want.shape or have.dtype != want.dtype:
        return f"{have.dtype}{have.shape}, expected {want.dtype}{want.shape}"
    if want.dtype.kind in "biu":
        return "" if np.array_equal(have, want) else "integers differ"
    a, b = have.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return "other elements are infinite or no numbers"
    worst = float(np.abs(a[finite] - b[finite]).max(initial=0))
    return "" if worst <= TOLERANCE * np.abs(b[finite]).max(initial=0) else f"differs by {worst}"


@functools.cache
def results(op: str) -> tuple[str, ...]:
    return tuple(found for case in read_cases() if case.op == op for found in outcomes(case))


@pytest.mark.parametrize("op", BRIDGED)
def test_cases_are_right_or_declined(op: str) -> None:
    assert set(results(op)) <= {"right", "declined"}


def test_coverage() -> None:
    """Nothing that was right becomes declined unseen."""
    kinds = Counter(found for op in BRIDGED for found in results(op))
    assert [op for op in BRIDGED if "right" not in results(op)] == ALL_DECLINED
    assert len(BRIDGED) >= OPS
    assert kinds["right"] >= RIGHT


ALL_DECLINED = ["shape"]
"""Ops of whose cases all are declined; those of shape are empty or float64."""

OPS, RIGHT = 192, 1069
