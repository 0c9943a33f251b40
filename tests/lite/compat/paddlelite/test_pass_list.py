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
    expected = [name for name in DEFAULT if name != "conv_bn_fuse_pass"]
    assert pass_list([], ["lite_conv_bn_fuse_pass"]) == expected
    assert pass_list(["conv_bn_fuse_pass"], ["lite_conv_bn_fuse_pass"]) == [*expected, "conv_bn_fuse_pass"]


def test_an_added_pass_can_be_discarded() -> None:
    assert pass_list(["graph_visualize_pass"], ["graph_visualize_pass"]) == list(DEFAULT)


def test_discarding_what_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    assert pass_list([], ["__xpu__fc_fuse_pass"]) == list(DEFAULT)
    assert caplog.records == []
    assert pass_list([], ["no_such_pass", "no_such_pass"]) == list(DEFAULT)
    (record,) = caplog.records
    assert "add_discarded_pass('no_such_pass') has no effect" in record.getMessage()
