"""Default passes, and what a config adds and takes away."""

from __future__ import annotations

import pytest

from lite.compat.paddlelite.pass_list import pass_list
from lite.passes.pipelines import DEFAULT


def test_nothing_said() -> None:
    assert pass_list([], []) is None


def test_passes_are_appended() -> None:
    added = ["lite_fc_fuse_pass", "graph_visualize_pass{svg=false}"]
    assert pass_list(added, []) == [*DEFAULT, *added]


def test_the_first_of_a_name_is_discarded() -> None:
    names = pass_list([], ["lite_conv_elementwise_fuse_pass"])
    first = DEFAULT.index("conv_elementwise_fuse_pass")
    assert DEFAULT.count("conv_elementwise_fuse_pass") == 2
    assert names == [*DEFAULT[:first], *DEFAULT[first + 1 :]]


def test_an_added_pass_can_be_discarded() -> None:
    assert pass_list(["graph_visualize_pass"], ["graph_visualize_pass"]) == list(DEFAULT)


def test_discarding_what_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    assert pass_list([], ["__xpu__fc_fuse_pass"]) == list(DEFAULT)
    assert caplog.records == []
    assert pass_list([], ["no_such_pass", "no_such_pass"]) == list(DEFAULT)
    (record,) = caplog.records
    assert "add_discarded_pass('no_such_pass') has no effect" in record.getMessage()
