"""Modules under the names of another project."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from lite.compat.shim import ModuleShim, named
from lite.errors import PluginError

ROOT = "a_project_that_is_not_here"


def one() -> int:
    return 1


@pytest.fixture
def shim() -> Iterator[ModuleShim]:
    """A shim with two modules, which is uninstalled after the test."""
    created = ModuleShim(ROOT, "an_api", {ROOT: {}, f"{ROOT}.inner": named([one])}, "4.5")
    yield created
    created.uninstall()


def test_modules_have_their_members(shim: ModuleShim) -> None:
    shim.install()
    root, inner = importlib.import_module(ROOT), importlib.import_module(f"{ROOT}.inner")

    assert root.inner is inner
    assert inner.one is one
    assert (root.__all__, inner.__all__) == ([], ["one"])
    assert root.__version__ == "4.5"
    assert not hasattr(inner, "__version__")


def test_a_second_install_keeps_the_modules(shim: ModuleShim) -> None:
    shim.install()
    first = importlib.import_module(ROOT)
    shim.install()
    assert importlib.import_module(ROOT) is first


def test_after_uninstall_the_modules_are_not_found(shim: ModuleShim) -> None:
    shim.install()
    shim.uninstall()
    shim.uninstall()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(ROOT)


def test_install_is_refused_if_the_real_package_is_imported(
    shim: ModuleShim, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ModuleType(ROOT)
    monkeypatch.setitem(sys.modules, ROOT, real)
    with pytest.raises(
        PluginError, match=rf"the real {ROOT} is already imported.*an_api\.install\(\) before"
    ):
        shim.install()
    shim.uninstall()
    assert sys.modules[ROOT] is real
    assert f"{ROOT}.inner" not in sys.modules


def test_a_package_with_the_same_prefix_is_another_package(
    shim: ModuleShim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, f"{ROOT}_too", ModuleType(f"{ROOT}_too"))
    shim.check()
