"""Artifacts with compressed weights: the same results, a smaller file, and refusals of damaged ones."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.artifact.compressed import compressed, decompressed
from lite.artifact.sniff import META
from lite.cache.entry import ALIGNMENT, InvalidEntryError
from lite.errors import GraphError, ModelParseError
from tests.lite.artifact.files import image, members, model_folder, saved, write

CONTENT = b"".join(bytes([n % 7]) * 1000 for n in range(3000))


def packed(content: bytes = CONTENT) -> bytes:
    return b"".join(compressed([content[:100], memoryview(content)[100:]]))


def small(folder: Path) -> Path:
    """An artifact with compressed weights."""
    predictor = lite.create_predictor(lite.Config(model_folder(folder)))
    predictor.run({"x": image()})
    lite.save_artifact(predictor, folder / "small.lbm", compress=True)
    return folder / "small.lbm"


@pytest.mark.parametrize("content", [CONTENT, b"", b"x"])
def test_bytes_come_back_aligned_and_read_only(content: bytes) -> None:
    view = decompressed(memoryview(packed(content)), lite.Limits())

    assert bytes(view) == content
    assert view.readonly
    assert np.frombuffer(view, np.uint8).ctypes.data % ALIGNMENT == 0 or not content


def test_a_small_file_is_not_decompressed_to_a_large_one() -> None:
    limits = lite.Limits(decompressed_bytes=len(CONTENT) - 1)
    with pytest.raises(GraphError, match="the compressed weights: 3,000,000 decompressed_bytes, the limit"):
        decompressed(memoryview(packed()), limits)
    noise = np.random.default_rng(0).bytes(5000)
    view = decompressed(memoryview(packed(noise)), lite.Limits(decompressed_bytes=1))
    assert bytes(view) == noise


def test_the_limits_of_the_config_hold_for_artifacts(tmp_path: Path) -> None:
    path = small(tmp_path)
    size = len(zlib.decompress(members(path)["weights.z"][8:]))
    replaced = {**members(path), "weights.z": packed(bytes(max(size, 1 << 16)))}
    write(path, replaced)
    config = lite.Config(path, limits=lite.Limits(decompressed_bytes=1000))
    for read in (lite.create_predictor, lite.load_program):
        with pytest.raises(GraphError, match="decompressed_bytes, the limit is 1,000"):
            read(config)


def test_missing_memory_is_an_error_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(*_: object) -> None:
        raise MemoryError

    content = memoryview(packed())
    monkeypatch.setattr(np, "empty", empty)
    with pytest.raises(InvalidEntryError, match="there is no memory for 3000000 bytes"):
        decompressed(content, lite.Limits())


def test_damaged_bytes_are_refused() -> None:
    whole = packed()
    body = zlib.compress(CONTENT)
    for wrong in (
        b"",
        whole[:4],
        whole[:-1],
        whole[: len(whole) // 2],
        whole[:8],
        (len(CONTENT) - 1).to_bytes(8, "little") + body,
        (len(CONTENT) + 1).to_bytes(8, "little") + body,
        (1 << 60).to_bytes(8, "little") + body,
        whole[:8] + b"\x00" + whole[9:],
    ):
        with pytest.raises(InvalidEntryError):
            decompressed(memoryview(wrong), lite.Limits())


def test_results_are_the_same_and_the_weights_smaller(tmp_path: Path) -> None:
    plain, expected = saved(tmp_path)
    path = small(tmp_path)
    predictor = lite.create_predictor(lite.Config(path))

    assert predictor.report().warnings == []
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)
    assert "weights.bin" not in members(path)
    assert len(members(path)["weights.z"]) < len(members(plain)["weights.bin"])
    assert "compressed-weights" in json.loads(members(path)[META])["features"]


def test_it_can_be_saved_again_without_compression(tmp_path: Path) -> None:
    _, expected = saved(tmp_path)
    lite.save_artifact(lite.Config(small(tmp_path)), tmp_path / "again.lbm", signatures=[{"x": (1, 3, 8, 8)}])

    result = lite.create_predictor(lite.Config(tmp_path / "again.lbm")).run({"x": image()})["y"]

    np.testing.assert_array_equal(result, expected)
    assert "weights.bin" in members(tmp_path / "again.lbm")


def test_a_damaged_artifact_is_refused(tmp_path: Path) -> None:
    path = small(tmp_path)
    contents = members(path)
    write(path, {**contents, "weights.z": contents["weights.z"][:-9]})
    with pytest.raises(ModelParseError, match="is not valid"):
        lite.create_predictor(lite.Config(path))

    changed = bytearray(contents["weights.z"])
    changed[-20] ^= 1
    write(path, {**contents, "weights.z": bytes(changed)}, with_checksums=False)
    with pytest.raises(ModelParseError, match=r"weights\.z does not have the checksum"):
        lite.create_predictor(lite.Config(path))
