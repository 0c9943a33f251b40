"""Which targets read each other's values."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.errors import PluginError
from lite.ir.types import HOST
from lite.plugin.kernel.target import TARGETS, Target, has_own_memory, register_target, shares_memory


@pytest.fixture
def targets() -> Iterator[None]:
    """Two targets with memory of their own and one without."""
    register_target("island", own_memory=True)
    register_target("other_island", own_memory=True)
    register_target("library")
    yield
    for name in ("island", "other_island", "library"):
        TARGETS.remove(name)


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        (HOST, HOST, True),
        (HOST, "library", True),
        ("library", "never_registered", True),
        ("island", "island", True),
        ("island", HOST, False),
        ("never_registered", "island", False),
        ("island", "other_island", False),
    ],
)
def test_targets_in_host_memory_share_memory(targets: None, first: str, second: str, shared: bool) -> None:
    assert shares_memory(first, second) is shared
    assert shares_memory(second, first) is shared


def test_a_target_with_own_memory_shares_none(targets: None) -> None:
    names = ("island", "library", HOST, "never_registered")
    assert [has_own_memory(name) for name in names] == [True, False, False, False]


def test_a_second_target_of_a_name_is_refused() -> None:
    assert TARGETS.get(HOST) == Target(HOST)
    with pytest.raises(
        PluginError, match=r"target host is registered twice: by lite\.plugin\.kernel\.target and by tests"
    ):
        register_target(HOST)
