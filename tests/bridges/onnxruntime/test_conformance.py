"""Every case of the kit: right, or declined with a sentence, with arguments and with constants."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from lite.ir.types import Array
from lite.ops import get_schema
from lite.plugin.bridge import BRIDGES
from lite.plugin.bridge_op import meta_of
from lite.plugin.convert import why_not
from lite.plugin.loader import load_all_bridges
from lite.tools.conformance import Case, read_cases
from tests.bridges.onnxruntime.case_graph import case_graph
from tests.bridges.onnxruntime.opened import opened

TOLERANCE = 1e-3
"""Largest difference, relative to the largest value of an output."""

ALL_DECLINED: list[str] = []
"""Ops of whose cases all are declined."""

OPS, RIGHT = 215, 1930
"""At least how many ops of the kit have bridges, and how many runs of cases are right."""

load_all_bridges("onnxruntime")
BRIDGED = sorted({case.op for case in read_cases()} & {op for name, op in BRIDGES if name == "onnxruntime"})


def outcomes(case: Case) -> Iterator[str]:
    """With arguments, then with constants: right, declined, or what is wrong.

    An op whose further outputs the device does not make is run without those, too.
    """
    for constants in (False, True):
        found = outcome(case, constants, None)
        if found == "declined" and len(case.outputs) > 1:
            found = outcome(case, constants, 1)
        yield found


def outcome(case: Case, constants: bool, outputs: int | None) -> str:
    device = opened()
    graph, arrays = case_graph(case, constants=constants, outputs=outputs)
    (node,) = graph
    reason = why_not(node, device)
    if reason is not None:
        return "declined" if len(reason.split()) > 2 else f"{case.name}: no sentence: {reason}"
    model = device.compile(graph, tuple(meta_of(arg) for arg in graph.args))
    have = model.run(arrays, [None] * len(graph.results))
    wanted = [item.array for items in list(case.outputs.values())[:outputs] for item in items]
    wrong = [text for pair in zip(have, wanted, strict=True) if (text := difference(*pair))]
    return f"{case.name}: {wrong[0]}" if wrong else "right"


def difference(have: Array, want: Array) -> str:
    """What is wrong with a result, or nothing."""
    if have.shape != want.shape or have.dtype != want.dtype:
        return f"{have.dtype}{have.shape}, expected {want.dtype}{want.shape}"
    if want.dtype.kind in "biu":
        return "" if np.array_equal(have, want) else "integers differ"
    a, b = have.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)) or not np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    ):
        return "other elements are infinite or no numbers"
    worst = float(np.abs(a[finite] - b[finite]).max(initial=0))
    return "" if worst <= TOLERANCE * np.abs(b[finite]).max(initial=0) else f"differs by {worst}"


def reads_lod(case: Case) -> bool:
    """Whether the case is about LoDs, which never come to a device."""
    given = any(item.lod for items in case.inputs.values() for item in items)
    return given and get_schema(case.op).lod == "kernel"


@functools.cache
def results(op: str) -> tuple[str, ...]:
    chosen = [case for case in read_cases() if case.op == op and not reads_lod(case)]
    return tuple(found for case in chosen for found in outcomes(case))


@pytest.mark.parametrize("op", BRIDGED)
def test_cases_are_right_or_declined(op: str) -> None:
    assert set(results(op)) <= {"right", "declined"}


def test_coverage() -> None:
    """Nothing that was right becomes declined unseen."""
    kinds = Counter(found for op in BRIDGED for found in results(op))
    assert [op for op in BRIDGED if "right" not in results(op)] == ALL_DECLINED
    assert len(BRIDGED) >= OPS
    assert kinds["right"] >= RIGHT
