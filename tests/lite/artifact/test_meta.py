"""Metadata: newer layouts and unknown features are refused, other unknown keys are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.artifact.container import Container
from lite.artifact.meta import FORMAT, Meta
from lite.errors import ModelParseError
from tests.lite.artifact.files import edit, members, saved, write


def opened(path: Path) -> Meta:
    return Meta.read(Container.open(path.read_bytes(), "m.lbm"))


def test_metadata_is_read_back(tmp_path: Path) -> None:
    path, _ = saved(tmp_path, valid_places=["host"])
    meta = opened(path)

    assert meta == opened(path)
    assert (meta.format, meta.features) == (FORMAT, ("plan", "origin"))
    assert meta.inputs == [{"name": "x", "dtype": "float32", "shape": ["?", 3, "?", "?"]}]
    assert (meta.outputs, meta.signatures) == (["y"], [{"x": [1, 3, 8, 8]}])
    assert meta.problems(Container.open(path.read_bytes(), "m.lbm")) == []


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    edit(path, "meta.json", lambda meta: meta.update(colour="red"))

    assert lite.create_predictor(lite.Config(path)).input_names == ["x"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"least_reader": FORMAT + 1}, "needs a reader of version"),
        ({"features": ["plan", "telepathy"]}, "features that this version lacks: telepathy"),
        ({"features": None}, "states no versions"),
        ({"least_reader": True}, "states no versions"),
        ({"inputs": 3}, "not valid"),
        ({"producer": None}, "not valid"),
        ({"settings": {"threads": "many"}}, "settings"),
        ({"settings": {"valid_places": [["host", "f99", "any"]]}}, "settings"),
        ({"settings": {"input_shapes": 3}}, "settings"),
        ({"settings": {"threads": 1 << 63}}, "settings"),
        ({"settings": {"partition_rules": "/etc/passwd"}}, "settings"),
    ],
)
def test_metadata_that_cannot_be_used_is_refused(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    path, _ = saved(tmp_path)
    edit(path, "meta.json", lambda meta: meta.update(change))

    with pytest.raises(ModelParseError, match=sentence):
        lite.create_predictor(lite.Config(path))


@pytest.mark.parametrize("name", ["plan.json", "weights.bin"])
def test_a_missing_and_an_unlisted_member_are_named(tmp_path: Path, name: str) -> None:
    path, _ = saved(tmp_path)
    contents = members(path)
    content = contents.pop(name)

    write(path, contents, with_checksums=False)
    with pytest.raises(ModelParseError, match=f"member {name} is missing"):
        lite.create_predictor(lite.Config(path))
    write(path, {**contents, name: content, "more.bin": b"x"}, with_checksums=False)
    with pytest.raises(ModelParseError, match=r"member more.bin is not listed"):
        lite.create_predictor(lite.Config(path))


def test_a_changed_plan_is_found_by_its_checksum(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    contents = members(path)
    plan = contents["plan.json"].replace(b'"axis":', b'"axes":', 1).replace(b"1", b"2", 1)
    write(path, {**contents, "plan.json": plan}, with_checksums=False)

    with pytest.raises(ModelParseError, match=r"plan.json does not have the checksum"):
        lite.create_predictor(lite.Config(path))


def test_verification_reads_every_member(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    contents = members(path)
    weights = bytearray(contents["weights.bin"])
    weights[5] ^= 1
    write(path, {**contents, "weights.bin": bytes(weights)}, with_checksums=False)

    container = Container.open(path.read_bytes(), "m.lbm")
    assert Meta.read(container).problems(container) == ["weights.bin: its SHA-256 is not that of meta.json"]


def test_metadata_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    for content in (b"[]", b"{", b"\xff", json.dumps({"a": 1}).encode(), b"[" * 100_000):
        write(path, {**members(path), "meta.json": content}, with_checksums=False)
        with pytest.raises(ModelParseError):
            lite.create_predictor(lite.Config(path))
        saved_again, _ = saved(tmp_path)
        assert saved_again == path
