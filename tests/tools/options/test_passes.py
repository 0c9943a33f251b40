"""The list of passes that a command runs."""

from __future__ import annotations

import pytest

from lite.errors import ConfigError
from lite.passes.pipelines import HEAD, TAIL, default_pipeline
from lite.tools.options.passes import check_listed, full_list

SPECS = ["canonicalize_pass", "lite_fc_fuse_pass", "constant_fold_pass{max_bytes=8}", "fc_fuse_pass"]


def test_mandatory_passes_are_added() -> None:
    assert full_list(None) == default_pipeline()
    assert full_list(["fc_fuse_pass"]) == [*HEAD, "fc_fuse_pass", *TAIL]


def test_names_of_paddle_lite_are_replaced() -> None:
    assert check_listed(["fc_fuse_pass", "range_calc_offline_pass"], SPECS) == [
        "fc_fuse_pass",
        "constant_fold_pass",
    ]


def test_a_pass_outside_the_list_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no pass 'fc_pass' is in the list; did you mean 'fc_fuse_pass'"):
        check_listed(["fc_pass"], SPECS)
