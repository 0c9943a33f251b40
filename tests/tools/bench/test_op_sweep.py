"""The cases of the sweep, and its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.tools.bench.op_sweep import cases, page
from lite.tools.bench.sweep.case import Case, Model
from lite.tools.bench.sweep.measure import Result, measure

pytest.importorskip("onnxruntime", reason="the sweep compares with ONNX Runtime")
pytest.importorskip("openvino", reason="the sweep compares with OpenVINO")


def test_names_of_cases_are_unique() -> None:
    names = [(case.family, case.name) for case in cases()]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("family", sorted({case.family for case in cases()}))
def test_a_case_of_each_family_is_a_valid_model(family: str, tmp_path: Path) -> None:
    import onnxruntime

    case = next(each for each in cases() if each.family == family)
    feeds = case.write(tmp_path / "case.onnx")

    session = onnxruntime.InferenceSession(tmp_path / "case.onnx", providers=["CPUExecutionProvider"])
    assert [port.name for port in session.get_inputs()] == list(feeds)


def test_a_case_is_measured_in_all_engines(tmp_path: Path) -> None:
    def build(model: Model) -> str:
        return model.op("Relu", model.input(2, 3))

    result = measure(Case("elementwise", "Relu", build), tmp_path, threads=1, rounds=1, seconds=0.001)

    assert sorted(result.milliseconds) == ["ONNX Runtime", "OpenVINO", "litebridge"]
    assert result.difference == 0
    assert result.ratio > 0


def test_the_page_has_families_and_cases() -> None:
    def result(name: str, *times: float) -> Result:
        milliseconds = dict(zip(("litebridge", "ONNX Runtime", "OpenVINO"), times, strict=False))
        return Result("norm", name, milliseconds, 0.0, {})

    text = page([result("a", 2.0, 1.0, 4.0), result("b", 8.0, 2.0, 3.0), result("c", 1.0)], threads=1)

    assert "| norm | 2 | 2.83 | 2 | 1 |" in text
    assert "| norm | a | 2.000 | 1.000 | 4.000 | **2.00** |" in text
    assert "| norm | c | 1.000 | – | – | nan |" in text
