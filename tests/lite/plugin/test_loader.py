"""The loader names plug-ins that cannot be imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.errors import PluginError
from lite.plugin import loader

PACKAGE = "broken_plugins_of_a_test"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "of_a_trait.py").write_text("kernel(*ops_with(Trait.CLAMP))\n", encoding="utf-8")
    (folder / "no_such_sdk.py").write_text(
        'import no_such_sdk\n\nkernel("an_op_of_a_test")\n', encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(loader, "KERNELS", PACKAGE)
    yield PACKAGE
    loader._files.cache_clear()
    loader.modules_by_word.cache_clear()
    sys.modules.pop(PACKAGE, None)


def test_a_file_that_cannot_be_imported_is_an_error(package: str) -> None:
    loader.load_kernels(["another_op"])
    with pytest.raises(
        PluginError, match=f"plug-in {package}.no_such_sdk cannot be imported: No module named"
    ):
        loader.load_kernels(["an_op_of_a_test"])


def test_a_file_that_names_a_trait_is_found_for_its_ops(package: str) -> None:
    assert loader.kernel_modules(["relu6"]) == [f"{package}.of_a_trait"]
    assert loader.kernel_modules(["tanh"]) == []


@pytest.mark.parametrize("package_name", ["no_such_package_of_a_test", "no_such_package_of_a_test.inner"])
def test_a_missing_package_is_an_error(monkeypatch: pytest.MonkeyPatch, package_name: str) -> None:
    monkeypatch.setattr(loader, "KERNELS", package_name)
    with pytest.raises(PluginError, match=f"plug-in package '{package_name}' cannot be"):
        loader.load_kernels(["relu"])
