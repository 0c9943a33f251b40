"""Names of Paddle-Lite's passes are resolved or skipped."""

from __future__ import annotations

import re

import pytest

from lite.passes.aliases import ALIASES, UNNEEDED, is_unneeded, known_names, resolve
from lite.passes.registry import pass_files
from tests.support.paddle_lite_passes import NOTE, default_list


def test_aliases_lead_to_passes() -> None:
    assert [name for name in ALIASES.values() if name not in pass_files()] == []
    assert set(ALIASES) & UNNEEDED == set()
    assert [name for name in sorted(UNNEEDED) if resolve(name) in pass_files()] == []


@pytest.mark.parametrize("name", sorted(pass_files()))
def test_the_prefix_lite_is_dropped(name: str) -> None:
    assert resolve(f"lite_{name}") == name
    assert resolve(name) == name


def test_unneeded_passes_are_skipped() -> None:
    assert is_unneeded("__xpu__fc_fuse_pass")
    assert is_unneeded("npu_subgraph_pass")
    assert not is_unneeded("lite_conv_bn_fuse_pass")
    assert not is_unneeded("conv_bn_fuse_pass")
    assert not is_unneeded("no_such_pass")


@pytest.mark.skipif(
    not NOTE.is_file(), reason=f"{NOTE.name} with Paddle-Lite's list is not beside the checkout"
)
def test_every_pass_of_paddle_lite_is_known() -> None:
    section = NOTE.read_text(encoding="utf-8").partition("\n## 3")[2].partition("\n## 4")[0]
    names = set(default_list())
    names |= set(re.findall(r"`(\w+_pass)`", section.partition("v2.9 differences")[2]))

    assert len(names) > 100
    assert (
        sorted(name for name in names if name not in known_names() and resolve(name) not in pass_files())
        == []
    )
