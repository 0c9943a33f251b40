"""Random lists of passes give equal results or an error that names the order."""

from __future__ import annotations

import logging
import re

import hypothesis
import pytest
from hypothesis import strategies

import lite
from lite.errors import PassError
from lite.passes.pipelines import TAIL
from lite.passes.registry import pass_files
from tests.support.reference_models import ReferenceModel, difference, each_model

ALL = sorted(pass_files())
OPTIONAL = [name for name in ALL if name not in TAIL]

LARGE = ("crnn_lstm_gru", "mobilenet_v1_x0_25", "mobilenet_v3_small_x0_5", "shufflenet_v2_x0_25")

ORDER = re.compile(r"\w+_pass must run before$|the pass list made no plan")


def lists(names: list[str]) -> strategies.SearchStrategy[list[str]]:
    """Some of the names, also more than once, or all of them, in any order."""
    return strategies.lists(strategies.sampled_from(names), max_size=24) | strategies.permutations(names)


def count(model: ReferenceModel) -> int:
    """How many lists of either kind are tried: 25, and 4 on the models that take longer to optimise.

    With ``--hypothesis-profile=long`` it is four times as many.
    """
    return hypothesis.settings().max_examples // (25 if model.name in LARGE else 4)


@each_model
def test_any_list_of_optional_passes_keeps_the_results(
    model: ReferenceModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)

    @hypothesis.settings(max_examples=count(model))
    @hypothesis.given(lists(OPTIONAL))
    def check(passes: list[str]) -> None:
        predictor = lite.create_predictor(lite.Config(model.path, passes=passes, debug=True))
        assert difference(predictor.run(model.inputs), model.outputs) == ""

    check()


@each_model
def test_any_list_of_all_passes_keeps_the_results_or_is_refused(
    model: ReferenceModel, caplog: pytest.LogCaptureFixture
) -> None:
    """A fusion after the passes that pick kernels may make an op without one: the error names the order."""
    caplog.set_level(logging.ERROR)

    @hypothesis.settings(max_examples=count(model))
    @hypothesis.given(lists(ALL))
    def check(passes: list[str]) -> None:
        try:
            predictor = lite.create_predictor(lite.Config(model.path, passes=passes, debug=True))
        except PassError as error:
            if ORDER.search(str(error)):
                return
            raise
        assert difference(predictor.run(model.inputs), model.outputs) == ""

    check()
