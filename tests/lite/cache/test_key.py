"""Cache keys: what changes them, and what does not."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite.cache import CacheKey, KeyPart, key
from lite.cache.field_digest import digest_of
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import Settings
from lite.version import VERSION
from tests.lite.cache.plain_device import REGION, Options, PlainDevice, differing, key_of


def test_the_parts_of_a_key() -> None:
    assert [(part.name, part.shown) for part in key_of().parts if part.name != "device source"] == [
        ("key version", "1"),
        ("litebridge version", VERSION),
        ("device", "plain"),
        ("options", "plain"),
        ("settings", "threads=1, precision='default'"),
        ("device version", "1.0"),
        ("ops", "2 ops"),
        ("boundary", "x, z -> b"),
        ("signature", "float32[2,s0], int64[1]"),
        ("weights", "1 arrays of 8 bytes"),
    ]
    assert [part.name for part in key_of().parts][-1] == "device source"


def test_nothing_changed_gives_the_same_key() -> None:
    first, second = key_of(), key_of()
    assert first == second
    assert first.digest == second.digest
    assert len(first.digest) == 64


def test_the_key_is_the_same_in_another_process() -> None:
    code = "from tests.lite.cache.plain_device import key_of; print(key_of().digest)"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {key_of().digest}


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("%a", "%inner", []),
        ("%w", "%weight", []),
        ("2,s]", "2,n]", []),
        ("%x", "%y", ["boundary"]),
        ("return %b", "return out=%b", ["boundary"]),
        ("%z: int64[1]", "%q: int64[1]", ["boundary"]),
        ("scale=2.0", "scale=2", ["ops"]),
        ("scale=2.0", "scale=3.0", ["ops"]),
        ("bias=0.0", "bias=-0.0", ["ops"]),
        ("[1.0, 2.0]", "[1.0, 3.0]", ["weights"]),
        ("[1.0, 2.0]", "[2.0, 1.0]", ["weights"]),
        ("int64[1]", "int64[2]", ["ops", "signature"]),
        ("int64[1]", "int32[1]", ["ops", "signature"]),
    ],
)
def test_what_of_a_region_changes_which_part(old: str, new: str, parts: list[str]) -> None:
    assert old in REGION
    changed = key_of(REGION.replace(old, new))
    assert differing(key_of(), changed) == parts
    assert (changed.digest == key_of().digest) == (not parts)


def test_zeros_and_nans_in_weights_are_told_apart() -> None:
    template = "graph r(%x: float32[1]) {{ %w = const float32[1] [{}] %y = op(X=%x, Y=%w) return %y }}"
    keys = [key_of(template.format(number)) for number in ("0.0", "-0.0", "nan", "inf")]
    assert len({found.digest for found in keys}) == 4
    assert key_of(template.format("nan")) == keys[2]


@pytest.mark.parametrize(
    ("device", "spec", "parts"),
    [
        (PlainDevice(Options(2), Settings()), "plain", ["options"]),
        (PlainDevice(Options(1.0), Settings()), "plain", ["options"]),
        (PlainDevice(Options(True), Settings()), "plain", ["options"]),
        (PlainDevice(Options("1"), Settings()), "plain", ["options"]),
        (PlainDevice(Options(), Settings()), "plain{cores=1}", ["options"]),
        (PlainDevice(Options(), Settings(threads=2)), "plain", ["settings"]),
        (PlainDevice(Options(), Settings(precision="strict")), "plain", ["settings"]),
    ],
)
def test_options_and_settings_are_part_of_it(device: PlainDevice, spec: str, parts: list[str]) -> None:
    assert differing(key_of(), key_of(device=device, spec=spec)) == parts


def test_versions_are_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of()
    monkeypatch.setattr(PlainDevice, "sdk", "1.1")
    assert differing(before, key_of()) == ["device version"]
    monkeypatch.setattr(key, "VERSION", "9.9")
    monkeypatch.setattr(key, "KEY_VERSION", 99)
    assert differing(before, key_of()) == ["key version", "litebridge version", "device version"]


def test_the_name_of_the_device_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of()
    monkeypatch.setattr(PlainDevice, "name", "other")
    assert differing(before, key_of()) == ["device"]


def test_a_device_that_cannot_tell_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: PlainDevice) -> str:
        raise OSError("no driver")

    monkeypatch.setattr(PlainDevice, "version", broken)
    with pytest.raises(CompileError, match="plain: telling its version failed: OSError: no driver"):
        key_of()


def test_what_is_known_of_inputs_is_part_of_it() -> None:
    def metas(**given: object) -> tuple[Meta, Meta]:
        return Meta(DType.FLOAT32, (2, "n")), Meta(DType.INT64, (1,), **given)  # type: ignore[arg-type]

    plain = key_of(signature=metas())
    for given in (
        {"value": np.array([3])},
        {"value": np.array([4])},
        {"lod": ((0, 1),)},
        {"is_array": True},
    ):
        assert differing(plain, key_of(signature=metas(**given))) == ["signature"]
    three, four = (key_of(signature=metas(value=np.array([number]))) for number in (3, 4))
    assert three != four


def test_equal_sizes_of_inputs_are_told_from_different_ones() -> None:
    def of(*names: str) -> CacheKey:
        return key_of(signature=tuple(Meta(DType.FLOAT32, (name,)) for name in names))

    assert of("n", "n").digest == of("m", "m").digest
    assert len({of("n", "n").digest, of("n", "m").digest, of("?", "?").digest}) == 3


def test_fields_cannot_run_into_each_other() -> None:
    lists: list[list[str | bytes]] = [
        [],
        [""],
        ["", ""],
        ["ab"],
        ["a", "b"],
        ["b", "a"],
        [b"ab"],
        ["a\0b"],
        ["a", "b", ""],
        ["\udc80"],
    ]
    digests = [digest_of(fields) for fields in lists]
    assert len(set(digests)) == len(lists)


def test_boundaries_cannot_run_into_each_other() -> None:
    """An input that is called like an output moves no border."""
    keys = [
        key_of("graph r(%a: float32[1], %b: float32[1]) { %y = op(X=%a, Y=%b) return y=%y }"),
        key_of('graph r(%"a, b": float32[1], %c: float32[1]) { %y = op(X=%"a, b", Y=%c) return y=%y }'),
        key_of('graph r(%a: float32[1], %"b -> y": float32[1]) { %y = op(X=%a, Y=%"b -> y") return y=%y }'),
    ]
    assert len({found.digest for found in keys}) == 3


def test_parts_that_only_one_key_has_differ() -> None:
    first = CacheKey.of([KeyPart("a", "1"), KeyPart("b", "2")])
    second = CacheKey.of([KeyPart("a", "1"), KeyPart("c", "3")])
    assert first.differing(second) == [(KeyPart("b", "2"), None), (None, KeyPart("c", "3"))]
    assert first.digest != second.digest


def test_what_is_shown_is_no_part_of_it() -> None:
    assert CacheKey.of([KeyPart("a", "1", "one")]) == CacheKey.of([KeyPart("a", "1", "uno")])


def test_the_source_of_the_device_is_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "vendor_npu"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text(
        "from tests.lite.cache.plain_device import PlainDevice\nclass Npu(PlainDevice):\n    name = 'npu'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from importlib import import_module

    npu = import_module("vendor_npu.device").Npu(Options(), Settings())
    try:
        before = key_of(device=npu)
        assert key_of(device=npu) == before
        (package / "conv.py").write_text("STRIDE = 1\n")
        added = key_of(device=npu)
        (package / "conv.py").write_text("STRIDE = 2\n")
        edited = key_of(device=npu)
        (package / "conv.py").rename(package / "pool.py")
        renamed = key_of(device=npu)
    finally:
        for name in ("vendor_npu.device", "vendor_npu"):
            del sys.modules[name]
    keys = [before, added, edited, renamed]
    assert [differing(a, b) for a, b in itertools.pairwise(keys)] == [["device source"]] * 3
