"""Keys of device models: which changes of region, device and signature change which part."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite.cache import CacheKey, region_key
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import Settings
from lite.version import VERSION
from tests.lite.cache.region_keys import REGION, Options, PlainDevice, changed_parts, key_of_region


def test_a_key_has_the_expected_parts_and_texts() -> None:
    assert [(part.name, part.text) for part in key_of_region().parts if part.name != "device source"] == [
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
    assert [part.name for part in key_of_region().parts][-1] == "device source"


def test_the_same_region_has_the_same_key() -> None:
    first, second = key_of_region(), key_of_region()
    assert first == second
    assert first.digest == second.digest
    assert len(first.digest) == 64


def test_the_key_is_the_same_in_another_process() -> None:
    code = "from tests.lite.cache.region_keys import key_of_region; print(key_of_region().digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {key_of_region().digest}


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
def test_a_change_of_the_region_changes_the_expected_parts(old: str, new: str, parts: list[str]) -> None:
    assert old in REGION
    changed = key_of_region(REGION.replace(old, new))
    assert changed_parts(key_of_region(), changed) == parts
    assert (changed.digest == key_of_region().digest) == (not parts)


def test_weights_of_zero_minus_zero_nan_and_infinity_have_different_keys() -> None:
    template = "graph r(%x: float32[1]) {{ %w = const float32[1] [{}] %y = op(X=%x, Y=%w) return %y }}"
    keys = [key_of_region(template.format(number)) for number in ("0.0", "-0.0", "nan", "inf")]
    assert len({key.digest for key in keys}) == 4
    assert key_of_region(template.format("nan")) == keys[2]


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
def test_options_and_settings_change_their_parts(device: PlainDevice, spec: str, parts: list[str]) -> None:
    assert changed_parts(key_of_region(), key_of_region(device=device, spec=spec)) == parts


def test_versions_change_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of_region()
    monkeypatch.setattr(PlainDevice, "sdk", "1.1")
    assert changed_parts(before, key_of_region()) == ["device version"]
    monkeypatch.setattr(region_key, "VERSION", "9.9")
    monkeypatch.setattr(region_key, "KEY_VERSION", 99)
    assert changed_parts(before, key_of_region()) == ["key version", "litebridge version", "device version"]


def test_the_name_of_the_device_changes_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of_region()
    monkeypatch.setattr(PlainDevice, "name", "other")
    assert changed_parts(before, key_of_region()) == ["device"]


def test_a_device_that_fails_to_report_its_version_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: PlainDevice) -> str:
        raise OSError("no driver")

    monkeypatch.setattr(PlainDevice, "version", broken)
    with pytest.raises(CompileError, match="plain: reading its version failed: OSError: no driver"):
        key_of_region()


def test_elements_lods_and_kinds_of_inputs_change_the_signature() -> None:
    def metas(**fields: object) -> tuple[Meta, Meta]:
        return Meta(DType.FLOAT32, (2, "n")), Meta(DType.INT64, (1,), **fields)  # type: ignore[arg-type]

    plain = key_of_region(signature=metas())
    for fields in (
        {"value": np.array([3])},
        {"value": np.array([4])},
        {"lod": ((0, 1),)},
        {"is_array": True},
    ):
        assert changed_parts(plain, key_of_region(signature=metas(**fields))) == ["signature"]
    three, four = (key_of_region(signature=metas(value=np.array([number]))) for number in (3, 4))
    assert three != four


def test_equal_symbolic_sizes_differ_from_different_ones() -> None:
    def of(*names: str) -> CacheKey:
        return key_of_region(signature=tuple(Meta(DType.FLOAT32, (name,)) for name in names))

    assert of("n", "n").digest == of("m", "m").digest
    assert len({of("n", "n").digest, of("n", "m").digest, of("?", "?").digest}) == 3


def test_names_with_separators_do_not_make_two_boundaries_look_alike() -> None:
    keys = [
        key_of_region("graph r(%a: float32[1], %b: float32[1]) { %y = op(X=%a, Y=%b) return y=%y }"),
        key_of_region(
            'graph r(%"a, b": float32[1], %c: float32[1]) { %y = op(X=%"a, b", Y=%c) return y=%y }'
        ),
        key_of_region(
            'graph r(%a: float32[1], %"b -> y": float32[1]) { %y = op(X=%a, Y=%"b -> y") return y=%y }'
        ),
    ]
    assert len({key.digest for key in keys}) == 3


def test_a_change_in_the_package_of_the_device_changes_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "vendor_npu"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "device.py").write_text(
        "from tests.lite.cache.region_keys import PlainDevice\nclass Npu(PlainDevice):\n    name = 'npu'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from importlib import import_module

    npu = import_module("vendor_npu.device").Npu(Options(), Settings())
    try:
        before = key_of_region(device=npu)
        assert key_of_region(device=npu) == before
        (package / "conv.py").write_text("STRIDE = 1\n")
        added = key_of_region(device=npu)
        (package / "conv.py").write_text("STRIDE = 2\n")
        edited = key_of_region(device=npu)
        (package / "conv.py").rename(package / "pool.py")
        renamed = key_of_region(device=npu)
    finally:
        for name in ("vendor_npu.device", "vendor_npu"):
            del sys.modules[name]
    keys = [before, added, edited, renamed]
    assert [changed_parts(a, b) for a, b in itertools.pairwise(keys)] == [["device source"]] * 3
