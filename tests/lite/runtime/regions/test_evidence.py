"""A model whose evidence shows work on another processor is a failure of the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import CompileError, ExecutionError
from lite.plugin.device import Evidence
from tests.lite.runtime.regions.on_fake import AFFINE, check_affine, fake_predictor
from tests.support.fake_device import fake_device

ELSEWHERE = Evidence("the profile", 0, ("relu on the CPU",))
SENTENCE = "the profile: not all work is done on the device: relu on the CPU"


def proven(_: int) -> Evidence:
    return Evidence("the profile", 2)


def never(_: int) -> Evidence:
    return ELSEWHERE


def retried(runs: int) -> Evidence:
    """The first run is repeated elsewhere."""
    return ELSEWHERE if runs else proven(0)


def test_evidence_without_a_problem_changes_nothing(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        faults.evidence = proven
        predictor = fake_predictor(model, fallback="error")
        check_affine(predictor)
        assert faults.runs == 1


def test_a_model_compiled_for_another_processor_is_refused(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        faults.evidence = never
        with pytest.raises(CompileError, match=SENTENCE):
            check_affine(fake_predictor(model, fallback="error"))
        predictor = fake_predictor(model)
        check_affine(predictor)
        (region,) = predictor.report().regions
    # The engine looks for one op at fault and finds none that is right without it.
    assert region.state == "split"
    assert SENTENCE in region.reason
    assert faults.runs == 0


def test_a_run_repeated_on_another_processor_is_found_at_the_first_run(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        faults.evidence = retried
        with pytest.raises(ExecutionError, match=SENTENCE):
            check_affine(fake_predictor(model, fallback="error"))
        faults.runs = 0
        predictor = fake_predictor(model)
        check_affine(predictor)
        check_affine(predictor)
        (region,) = predictor.report().regions
    assert (region.state, faults.runs) == ("host", 1)
    assert SENTENCE in region.reason


def test_a_stored_model_with_a_problem_is_built_again(model: Path, tmp_path: Path) -> None:
    with fake_device(*AFFINE) as faults:
        check_affine(fake_predictor(model, cache_dir=tmp_path))
        faults.evidence = lambda _: ELSEWHERE if faults.compiled == 1 else proven(0)
        predictor = fake_predictor(model, cache_dir=tmp_path)
        check_affine(predictor)
        (region,) = predictor.report().regions
    assert (region.state, faults.loaded, faults.compiled) == ("built", 1, 2)
