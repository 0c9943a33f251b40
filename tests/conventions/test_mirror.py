"""Folders of tests mirror the source tree."""

from __future__ import annotations

from pathlib import Path

SOURCES = ("lite", "bridges", "emitters", "kernels", "model_parser", "tools")


def folders_without_source(root: Path) -> list[str]:
    """The folders of tests for which the source tree has neither a folder nor a module of the same name."""
    folders = {path.parent.relative_to(root / "tests") for path in (root / "tests").rglob("test_*.py")}
    mirrored = [folder for folder in folders if folder.parts and folder.parts[0] in SOURCES]
    return sorted(
        folder.as_posix()
        for folder in mirrored
        if not (root / folder).is_dir() and not (root / folder).with_suffix(".py").is_file()
    )


def test_folders_of_tests_mirror_folders_or_modules_of_the_source(root: Path) -> None:
    assert folders_without_source(root) == []


def test_a_folder_of_another_name_is_found(tmp_path: Path) -> None:
    for name in ("tests/lite/ir", "tests/lite/cache/key", "tests/lite/old", "tests/suite"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "test_a.py").touch()
    (tmp_path / "lite/ir").mkdir(parents=True)
    (tmp_path / "lite/cache").mkdir()
    (tmp_path / "lite/cache/key.py").touch()

    assert folders_without_source(tmp_path) == ["lite/old"]
