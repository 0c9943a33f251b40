"""Packages are found by entry points in every form of installation."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder, entry_points
from pathlib import Path

import pytest

from lite.plugin.entry_points import packages_of

GROUP = "litebridge.group_of_a_test"
METADATA = {
    "METADATA": "Metadata-Version: 2.1\nName: plugin-of-a-test\nVersion: 1\n",
    "entry_points.txt": f"[{GROUP}]\nb = package_b\na = package_a\n",
}


def _install(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    for file, text in METADATA.items():
        (folder / name / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("parent", "name"),
    [
        ("", "plugin_of_a_test-1.dist-info"),
        ("", "plugin_of_a_test.egg-info"),
        ("plugin_of_a_test-1-py3.egg", "EGG-INFO"),
    ],
)
def test_packages_in_folders_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parent: str, name: str
) -> None:
    folder = tmp_path / parent
    _install(folder, name)
    assert packages_of(GROUP) == []
    monkeypatch.syspath_prepend(str(folder))
    assert packages_of(GROUP) == ["package_a", "package_b"]


def test_packages_in_the_current_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, "plugin_of_a_test-1.dist-info")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert packages_of(GROUP) == ["package_a", "package_b"]


def test_packages_in_zip_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in METADATA.items():
            file.writestr(f"plugin_of_a_test-1.dist-info/{name}", text)
    monkeypatch.syspath_prepend(str(archive))
    assert packages_of(GROUP) == ["package_a", "package_b"]


def test_packages_of_other_finders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, "plugin_of_a_test-1.dist-info")

    class Finder:
        """Knows what is installed in one folder, as tools that pack programs do."""

        def find_spec(self, *_: object) -> None:
            """No module."""

        def find_distributions(self, _: object) -> Iterable[Distribution]:
            """The package."""
            return MetadataPathFinder.find_distributions(DistributionFinder.Context(path=[str(tmp_path)]))

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert packages_of(GROUP) == ["package_a", "package_b"]


def test_files_and_folders_without_entry_points_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.egg-info").write_text("Metadata-Version: 1.0\n", encoding="utf-8")
    (tmp_path / "none-1.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "not_there"))
    assert packages_of(GROUP) == []


@pytest.mark.parametrize("group", ["console_scripts", "pytest11"])
def test_installed_packages_are_found(group: str) -> None:
    assert packages_of(group) == sorted({entry.value for entry in entry_points(group=group)})


def test_without_plug_ins_importlib_metadata_is_not_imported() -> None:
    program = (
        "import sys; from lite.plugin.loader import load_parsers; load_parsers(); "
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
