"""Pictures in lists of passes, and files of pictures."""

from __future__ import annotations

import os
from pathlib import Path

from lite.tools.pictures import PICTURE, new_pictures, pictures_in, with_pictures

SPECS = ["canonicalize_pass", "lite_fc_fuse_pass", "constant_fold_pass{max_bytes=8}", "fc_fuse_pass"]


def test_new_pictures_are_created_or_rewritten_files(tmp_path: Path) -> None:
    for name in ("a.dot", "b.svg", "c.txt"):
        (tmp_path / name).write_text("")
    before = pictures_in(tmp_path)
    assert sorted(before) == [tmp_path / "a.dot", tmp_path / "b.svg"]
    assert new_pictures(tmp_path, before) == []

    (tmp_path / "d.dot").write_text("")
    os.utime(tmp_path / "b.svg", ns=(0, 1))
    assert new_pictures(tmp_path, before) == [tmp_path / "b.svg", tmp_path / "d.dot"]


def test_missing_folder_has_no_pictures(tmp_path: Path) -> None:
    assert pictures_in(tmp_path / "none") == {}


def test_picture_follows_each_occurrence_of_a_pass() -> None:
    assert with_pictures(SPECS, ["lite_fc_fuse_pass"], at_end=False) == [
        PICTURE,
        SPECS[0],
        SPECS[1],
        PICTURE,
        SPECS[2],
        SPECS[3],
        PICTURE,
    ]


def test_picture_keeps_its_options() -> None:
    spec = f"{PICTURE}{{types=true}}"
    assert with_pictures(SPECS[:1], [], at_end=True, picture=spec) == [spec, SPECS[0], spec]


def test_end_has_one_picture() -> None:
    assert with_pictures(SPECS[:1], [], at_end=True) == [PICTURE, SPECS[0], PICTURE]
    assert with_pictures(SPECS[:1], [SPECS[0]], at_end=True) == [PICTURE, SPECS[0], PICTURE]
