"""Pass lists with Paddle-Lite's names, on the reference models."""

from __future__ import annotations

import logging

import pytest

import lite
from lite.passes.aliases import is_unneeded, resolve
from tests.support.paddle_lite_passes import NOTE, default_list, own_list
from tests.support.reference_models import ReferenceModel, difference, each_model, reference_model

LISTS = {"own": own_list(), **({"default": default_list()} if NOTE.is_file() else {})}
each_list = pytest.mark.parametrize("names", LISTS.values(), ids=LISTS)


@pytest.mark.skipif(
    not NOTE.is_file(), reason=f"{NOTE.name} with Paddle-Lite's list is not beside the checkout"
)
def test_default_list_is_read_completely() -> None:
    names = default_list()
    assert len(names) == 122
    assert (names[0], names[-1]) == ("lite_quant_dequant_fuse_pass", "xpu_memory_optimize_pass")


@each_list
@each_model
def test_results_equal_the_reference(
    model: ReferenceModel, names: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "lite.passes"):
        predictor = lite.create_predictor(lite.Config(model.path, passes=names, debug=True))
    assert difference(predictor.run(model.inputs), model.outputs) == ""

    skipped = [record for record in caplog.records if "are skipped" in record.getMessage()]
    assert [record.levelname for record in skipped] == ["INFO"]
    ran = {record.name for record in predictor.pass_records}
    assert ran >= {resolve(name) for name in names if not is_unneeded(name)}


@each_list
def test_skipped_passes_are_named_once(names: list[str], caplog: pytest.LogCaptureFixture) -> None:
    model = reference_model("separable_classifier")
    with caplog.at_level(logging.INFO, "lite.passes"):
        lite.create_predictor(lite.Config(model.path, passes=names))
    (text,) = [text for text in caplog.messages if "are skipped" in text]
    assert text.partition(": ")[2].split(", ") == [name for name in names if is_unneeded(name)]
