"""Modules under another project's names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from lite.compat.stand_in import StandIn
from lite.errors import PluginError

ROOT = "a_project_that_is_not_here"


def one() -> int:
    return 1


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """Two modules, taken away afterwards."""
    made = StandIn(ROOT, "an_api", {ROOT: (), f"{ROOT}.inner": (one,)}, "4.5")
    yield made
    made.uninstall()


def test_modules_and_members(stand_in: StandIn) -> None:
    stand_in.install()
    root, inner = importlib.import_module(ROOT), importlib.import_module(f"{ROOT}.inner")

    assert root.inner is inner
    assert inner.one is one
    assert (root.__all__, inner.__all__) == ([], ["one"])
    assert root.__version__ == "4.5"
    assert not hasattr(inner, "__version__")


def test_installing_twice_keeps_the_modules(stand_in: StandIn) -> None:
    stand_in.install()
    first = importlib.import_module(ROOT)
    stand_in.install()
    assert importlib.import_module(ROOT) is first


def test_uninstalling(stand_in: StandIn) -> None:
    stand_in.install()
    stand_in.uninstall()
    stand_in.uninstall()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(ROOT)


def test_the_real_package_is_left_alone(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ModuleType(ROOT)
    monkeypatch.setitem(sys.modules, ROOT, real)
    with pytest.raises(PluginError, match=rf"the real {ROOT} is imported.*an_api\.install\(\) before"):
        stand_in.install()
    stand_in.uninstall()
    assert sys.modules[ROOT] is real
    assert f"{ROOT}.inner" not in sys.modules


def test_names_that_only_begin_alike_are_not_the_package(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, f"{ROOT}_too", ModuleType(f"{ROOT}_too"))
    stand_in.check()
