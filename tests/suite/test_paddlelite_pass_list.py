"""Paddle-Lite's default list of passes, as it is, on the reference models."""

from __future__ import annotations

import logging

import pytest

import lite
from lite.passes.aliases import is_unneeded, resolve
from tests.suite.paddle_lite_passes import NOTE, default_list
from tests.suite.reference_models import FOLDER, ReferenceModel, difference, reference_models

pytestmark = [
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference models in {FOLDER.name}/"),
    pytest.mark.skipif(not NOTE.is_file(), reason=f"the list of Paddle-Lite's passes is not at {NOTE.name}"),
]

MODELS = reference_models()
NAMES = default_list()


def test_the_list_is_whole() -> None:
    assert len(NAMES) == 122
    assert (NAMES[0], NAMES[-1]) == ("lite_quant_dequant_fuse_pass", "xpu_memory_optimize_pass")


@pytest.mark.parametrize("model", MODELS, ids=[model.name for model in MODELS])
def test_equal_results(model: ReferenceModel, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "lite.passes"):
        predictor = lite.create_predictor(lite.Config(model.path, passes=NAMES, debug=True))
    assert difference(predictor.run(model.inputs), model.outputs) == ""

    skipped = [record for record in caplog.records if "are skipped" in record.getMessage()]
    assert [record.levelname for record in skipped] == ["INFO"]
    ran = {record.name for record in predictor.pass_records}
    assert ran >= {resolve(name) for name in NAMES if not is_unneeded(name)}


def test_what_we_have_runs_and_the_rest_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    model = MODELS[0]
    with caplog.at_level(logging.INFO, "lite.passes"):
        lite.create_predictor(lite.Config(model.path, passes=NAMES))
    (text,) = [text for text in caplog.messages if "are skipped" in text]
    named = text.partition(": ")[2].split(", ")
    assert named == [name for name in NAMES if is_unneeded(name)]
