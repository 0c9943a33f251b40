"""Record the cases of the conformance kit from the kernel tests: ``python -m tests.record_conformance``.

The tests compare each op's outputs with an independent reference.  Of the small cases that pass, the kit
keeps a few of each op: those that together show most attributes, slots and element types
(`tests/support/case_selection.py`).
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, Array, Lod
from lite.ops import get_schema
from lite.plugin import kernel
from lite.plugin.kernel import evaluation
from lite.tools.conformance.cases import FILE, Case, Operand, write_cases
from tests.support.case_selection import chosen

MOST_BYTES = 16384

PLAIN_FORMS = "test_device_forms.py"
"""The file of tests whose cases are all kept."""

Results = dict[str, list[evaluation.Result]]


class Recorder:
    """A pytest plug-in that records the calls of `evaluate` in tests that pass."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Case]] = defaultdict(dict)
        self.always: dict[str, list[Case]] = defaultdict(list)
        self.pending: list[Case] = []
        self.original = evaluation.evaluate

    def evaluate(
        self,
        op: str,
        inputs: Mapping[str, Sequence[Array]],
        attrs: Mapping[str, AttrValue],
        outputs: Mapping[str, int],
        lods: Mapping[str, Sequence[Lod]] | None = None,
    ) -> Results:
        results = self.original(op, inputs, attrs, outputs, lods)
        if is_plain(op, inputs, results):
            self.pending.append(make_case(op, inputs, attrs, results, lods or {}))
        return results

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        is_plain_form = PLAIN_FORMS in report.nodeid
        for case in self.pending if report.passed else ():
            kept = self.found[case.op]
            key = repr(
                [case.attrs, *((s, i.array.dtype, i.array.shape) for s, x in case.inputs.items() for i in x)]
            )
            if size(case) <= MOST_BYTES:
                stored = kept.setdefault(key, case)
                if is_plain_form and all(stored is not other for other in self.always[case.op]):
                    self.always[case.op].append(stored)
        self.pending.clear()


def is_plain(op: str, inputs: Mapping[str, Sequence[Any]], results: Results) -> bool:
    """Whether all operands are tensors of numbers, and the outputs follow from the inputs."""
    arrays = [a for arrays_of_slot in inputs.values() for a in arrays_of_slot] + [
        r.array for x in results.values() for r in x
    ]
    return get_schema(op).foldable and all(isinstance(a, np.ndarray) and a.dtype.kind != "O" for a in arrays)


def make_case(
    op: str,
    inputs: Mapping[str, Sequence[Array]],
    attrs: Mapping[str, AttrValue],
    results: Results,
    lods: Mapping[str, Sequence[Lod]],
) -> Case:
    """A case with copies of the operands."""
    return Case(
        "",
        op,
        json.loads(json.dumps(attrs)),
        {
            slot: [
                Operand(a.copy(), lods[slot][n] if slot in lods else NO_LOD)
                for n, a in enumerate(arrays_of_slot)
            ]
            for slot, arrays_of_slot in inputs.items()
        },
        {
            slot: [Operand(np.array(r.array), r.lod) for r in results_of_slot]
            for slot, results_of_slot in results.items()
        },
    )


def size(case: Case) -> int:
    """Bytes of all operands."""
    sides = (case.inputs, case.outputs)
    return sum(item.array.nbytes for side in sides for items in side.values() for item in items)


def main() -> int:
    """Run the kernel tests and write the cases that pass; returns the exit code of the tests."""
    recorder = Recorder()
    # The kernel tests import the function from the package.
    kernel.evaluate = evaluation.evaluate = recorder.evaluate
    code = pytest.main(["-q", "-p", "no:cacheprovider", "tests/kernels"], plugins=[recorder])
    cases = [
        Case(f"{op} {number}", op, case.attrs, case.inputs, case.outputs)
        for op, kept in sorted(recorder.found.items())
        for number, case in enumerate(chosen(list(kept.values()), recorder.always[op]))
    ]
    write_cases(cases)
    sys.stderr.write(
        f"{len(cases)} cases of {len(recorder.found)} ops in {FILE.name}, {FILE.stat().st_size} bytes\n"
    )
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
