"""Regions and signatures that are compiled together, into models that share weights."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.sim_npu.device import SimNpu
from lite.errors import CompileError
from lite.ir.types import Array
from lite.tools.analysis.device_build import build_regions, check_folder
from tests.lite.runtime.regions.on_fake import check_net, host_result, image
from tests.support.log_records import warnings_in

SIZES = (6, 8)
SHAPES: list[dict[str, tuple[int, ...]]] = [{"x": (1, 3, size, size)} for size in SIZES]


def on_npu(net: Path, options: str = "", **settings: object) -> lite.Predictor:
    """The network on sim_npu, without fallback."""
    device = f"sim_npu{{{options}}}" if options else "sim_npu"
    config = lite.Config(net, devices=[device], min_subgraph_ops=1, fallback="error", **settings)  # type: ignore[arg-type]
    return lite.create_predictor(config)


def memory_of(predictor: lite.Predictor) -> int:
    """The bytes in use on the device of a predictor."""
    [engine] = {id(each.region.device): each for each in predictor._state.engines if each}.values()
    assert isinstance(engine.region.device, SimNpu)
    return engine.region.device._npu.memory.used


@pytest.mark.parametrize("options", ["", "memory=true", "max_ops=2"])
def test_signatures_and_regions_share_weights_and_give_the_same_results(net: Path, options: str) -> None:
    together, apart = on_npu(net, options), on_npu(net, options)
    together.prepare(SHAPES)
    for shapes in SHAPES:
        apart.prepare(shapes)
    for size in SIZES:
        check_net(together, net, image(size))
        check_net(apart, net, image(size))
    regions = len(together.report().regions)
    assert regions == (1 if options != "max_ops=2" else 2)
    assert 0 < memory_of(together) < memory_of(apart)
    groups = {id(b.member.group) for e in together._state.engines if e for b in e.bound if b.member}
    assert len(groups) == 1


def test_one_region_for_one_signature_is_no_group(net: Path) -> None:
    predictor = on_npu(net)
    predictor.prepare(SHAPES[0])
    [engine] = [each for each in predictor._state.engines if each]
    assert [bound.member for bound in engine.bound] == [None]


def test_a_group_is_loaded_from_the_cache_once_and_without_prepare(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_npu(net, cache_dir=tmp_path / "cache").prepare(SHAPES)
    loads: list[int] = []
    load_all = SimNpu.load_all

    def counted(self: SimNpu, blob: bytes) -> object:
        loads.append(len(blob))
        return load_all(self, blob)

    monkeypatch.setattr(SimNpu, "load_all", counted)
    second = on_npu(net, cache_dir=tmp_path / "cache")
    for size in SIZES:
        check_net(second, net, image(size))
    assert [each.state for each in second.report().regions[0].signatures] == ["loaded", "loaded"]
    assert [note for notes in second.explain_cache().values() for note in notes.values()] == ["hit", "hit"]
    third = on_npu(net, cache_dir=tmp_path / "cache")
    third.prepare(SHAPES)
    assert [each.state for each in third.report().regions[0].signatures] == ["loaded", "loaded"]
    assert len(loads) == 2


def test_a_lost_group_is_built_again(net: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    on_npu(net, cache_dir=tmp_path / "cache").prepare(SHAPES)
    largest = max((tmp_path / "cache").glob("*.model"), key=lambda path: path.stat().st_size, default=None)
    assert largest is not None
    largest.unlink()
    predictor = on_npu(net, cache_dir=tmp_path / "cache")
    check_net(predictor, net, image(SIZES[0]))
    assert predictor.report().regions[0].signatures[0].state == "built"
    [warning] = warnings_in(caplog)
    assert "the group of a cached model is missing" in warning


def test_what_cannot_be_compiled_together_is_compiled_one_by_one(
    net: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuses(self: SimNpu, parts: object) -> object:
        raise CompileError("too many graphs")

    monkeypatch.setattr(SimNpu, "compile_all", refuses)
    caplog.set_level(logging.INFO)
    predictor = on_npu(net)
    predictor.prepare(SHAPES)
    check_net(predictor, net, image(SIZES[1]))
    assert [each.state for each in predictor.report().regions[0].signatures] == ["built", "built"]
    assert any(
        "one by one: sim_npu: compiling together failed: too many graphs" in m for m in caplog.messages
    )


@pytest.mark.parametrize("returned", [None, "a short group"])
def test_a_wrong_answer_of_compile_all_is_no_answer(
    net: Path, monkeypatch: pytest.MonkeyPatch, returned: str | None
) -> None:
    compile_all = SimNpu.compile_all
    monkeypatch.setattr(SimNpu, "compile_all", lambda self, parts: returned and compile_all(self, parts[:1]))
    predictor = on_npu(net)
    predictor.prepare(SHAPES)
    check_net(predictor, net, image(SIZES[0]))
    assert [each.state for each in predictor.report().regions[0].signatures] == ["built", "built"]


def test_no_more_signatures_are_compiled_together_than_allowed(net: Path) -> None:
    predictor = on_npu(net, max_signatures=2)
    predictor.prepare([{"x": (1, 3, size, size)} for size in (6, 8)])
    [engine] = [each for each in predictor._state.engines if each]
    assert len(engine.bound) == 2
    assert not engine._grouped


def test_an_artifact_keeps_a_group_once(net: Path, tmp_path: Path) -> None:
    def saved(name: str, *calls: list[dict[str, tuple[int, ...]]]) -> Path:
        predictor = on_npu(net)
        for shapes in calls:
            predictor.prepare(shapes)
        lite.save_artifact(predictor, tmp_path / name)
        return tmp_path / name

    together, apart = saved("together.lbm", SHAPES), saved("apart.lbm", SHAPES[:1], SHAPES[1:])
    predictor = lite.create_predictor(lite.Config(together, devices=["sim_npu"], fallback="error"))
    for size in SIZES:
        np.testing.assert_allclose(result(predictor, image(size)), host_result(net, image(size)), 1e-4, 1e-5)
    assert [each.state for each in predictor.report().regions[0].signatures] == ["loaded", "loaded"]
    assert apart.exists()


def result(predictor: lite.Predictor, x: Array) -> Array:
    """The output of the network."""
    return predictor.run([x])["y"]


def test_a_build_writes_the_files_of_a_group_once(net: Path, tmp_path: Path) -> None:
    x = image(SIZES[0])
    manifest = build_regions(on_npu(net, "max_ops=2"), {"x": x}, tmp_path / "built")
    assert [region["group"] for region in manifest["regions"]] == ["group_0"] * 2
    assert {each["path"] for region in manifest["regions"] for each in region["files"]} == {
        "group_0/models.bin"
    }
    found = check_folder(tmp_path / "built")
    assert (found.files, found.problems) == (2, [])


def test_a_worker_process_compiles_one_by_one(net: Path) -> None:
    predictor = on_npu(net, isolate=True)
    predictor.prepare(SHAPES)
    check_net(predictor, net, image(SIZES[0]))
    assert [each.state for each in predictor.report().regions[0].signatures] == ["built", "built"]
