"""Every op case gives the expected shapes, dtypes and values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import lite
from lite.ir.program import Program
from lite.plugin.format import ModelSource
from tests.support.op_cases import OpCase, class_names, predictor_of, read_class

KNOWN: dict[tuple[str, int], str] = {
    ("op_bmm", 0): "three sums near zero: a product in float64 misses the stored values by 1.7e-5, too",
    ("op_inverse", 6): "an ill-conditioned matrix: its inverse in float64 misses by as much, and upstream "
    "does not check this op's values",
    ("op_multiclass_nms3", 0): "random self-crossing polygons: one overlap is 0.092 here and above the "
    "threshold of 0.1 in Paddle, whose clipper counts holes of the common area as covered",
}
"""Cases that fail, and why."""

WIDENED = {"op_index_select": "Paddle 2.6 has no int16 kernel and computes in int32; Out has X's dtype"}
"""Classes whose outputs may have another dtype than the stored ones, and why."""

TARGETS = ["host", "cpu"]
"""The preferred target; ops without a kernel there run on the host."""

each_class = pytest.mark.parametrize("name", class_names())


def failures(name: str, run: object) -> dict[int, str]:
    """The failures of a class by case number, without the known ones."""
    assert callable(run)
    failed = {}
    for case in read_class(name):
        try:
            difference = run(case)
            if "dtype" in difference and name in WIDENED:
                difference = ""
        except lite.LiteError as error:
            difference = f"{type(error).__name__}: {error}"
        if difference and (name, case.number) not in KNOWN:
            failed[case.number] = difference
    return failed


@each_class
@pytest.mark.parametrize("target", TARGETS)
def test_cases_are_correct_with_all_passes(name: str, target: str) -> None:
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    assert failures(name, lambda case: case.difference(predictor_of(case.program(), places=[target]))) == {}


@each_class
def test_cases_are_correct_without_optional_passes(name: str) -> None:
    assert failures(name, lambda case: case.difference(predictor_of(case.program(), []))) == {}


@each_class
def test_cases_are_correct_after_saving_and_loading(name: str, tmp_path: Path) -> None:
    def run(case: OpCase) -> str:
        lite.save_program(case.program(), tmp_path / str(case.number))
        loaded = lite.load_program(ModelSource(tmp_path / str(case.number)))
        return case.difference(predictor_of(loaded))

    assert failures(name, run) == {}


@each_class
def test_cases_are_correct_with_unknown_sizes(name: str) -> None:
    def run(case: OpCase) -> str:
        return case.difference(predictor_of(forget_sizes(case.program())))

    assert failures(name, run) == {}


def forget_sizes(program: Program) -> Program:
    """The program with unknown sizes of known rank for its inputs and the outputs of ops."""
    for block in program.blocks:
        for name, var in block.vars.items():
            if var.shape is not None and not var.persistable:
                block.vars[name] = replace(var, shape=tuple(-1 for _ in var.shape))
    return program
