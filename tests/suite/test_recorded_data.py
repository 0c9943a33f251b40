"""The files in tests/data are those that `python -m tests.record_twins` writes from tests/support/twins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from tests.support.data_folders import OWN
from tests.support.op_cases import read_class
from tests.support.reference_models import difference, reference_model
from tests.support.twins import loop
from tests.support.twins.network import model_files
from tests.support.twins.networks import NETWORKS
from tests.support.twins.op_cases import op_cases

LARGEST = 1_600_000
"""Most bytes of all recorded files."""


def check_files(name: str, program: Program, folder: Path) -> None:
    lite.save_program(program, folder)
    for file in ("inference.pdmodel", "inference.pdiparams"):
        stored = OWN / "models" / name / file
        assert (folder / file).is_file() == stored.is_file()
        assert not stored.is_file() or (folder / file).read_bytes() == stored.read_bytes()


@pytest.mark.parametrize("name", NETWORKS)
def test_a_stored_network_has_the_programs_and_outputs_of_its_source(name: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="ONNX Runtime computes the expected outputs")
    twin, model = NETWORKS[name](), reference_model(name)
    check_files(name, twin.network.program(twin.outputs), tmp_path)
    assert list(model.inputs) == list(twin.feeds)
    for key, array in twin.feeds.items():
        np.testing.assert_array_equal(model.inputs[key], array)
    # Another release or processor may round sums differently.
    assert difference(twin.network.expected(twin.outputs, twin.feeds), model.outputs, 1e-5) == ""
    onnx_file = OWN / "onnx" / f"{name}.onnx"
    if onnx_file.is_file():
        model_proto = twin.network.onnx_model(twin.outputs)
        assert onnx_file.read_bytes() == model_proto.SerializeToString(deterministic=True)


def test_the_stored_loop_has_the_program_and_outputs_of_its_source(tmp_path: Path) -> None:
    check_files("loop_and_branches", loop.loop_and_branches(), tmp_path)
    assert difference(loop.expected(), reference_model("loop_and_branches").outputs, 1e-6) == ""


def test_stored_op_cases_have_the_programs_of_their_sources(tmp_path: Path) -> None:
    classes = op_cases()
    assert sorted(classes) == sorted(path.stem for path in (OWN / "op_cases").glob("*.zip"))
    for name, cases in classes.items():
        stored = list(read_class(name))
        assert len(stored) == len(cases)
        for case, twin in zip(stored, cases, strict=True):
            program = twin.network.program(twin.outputs)
            assert (case.model, case.params) == model_files(program, tmp_path / name / str(case.number))


def test_recorded_files_are_small() -> None:
    assert sum(path.stat().st_size for path in OWN.rglob("*") if path.is_file()) <= LARGEST
