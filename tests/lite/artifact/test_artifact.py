"""Artifacts: a start from one equals a start from the model, and parts that do not fit are made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.artifact import artifact as artifact_module
from lite.errors import ConfigError, ModelParseError
from lite.plugin.device.opening import open_device
from tests.lite.artifact.files import edit, image, members, model_folder, saved, write
from tests.support.small_programs import affine, affine_reference

SETTINGS: list[dict[str, Any]] = [
    {"valid_places": ["host"]},
    {},
    {"devices": ["sim_npu"]},
    {"devices": ["sim_npu"], "min_subgraph_ops": 1, "threads": 2},
    {"input_shapes": {"x": (1, 3, 8, 8)}},
    {"keep": ["c"], "memory": "plain", "precision": "strict"},
    {"partition_rules": "conv2d -> host", "devices": ["sim_npu"], "min_subgraph_ops": 1},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_start_from_an_artifact_equals_one_from_the_model(tmp_path: Path, settings: dict[str, Any]) -> None:
    path, expected = saved(tmp_path, **settings)
    predictor = lite.create_predictor(lite.Config(path))

    assert predictor.report().warnings == []
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)
    states = [each.state for region in predictor.report().regions for each in region.signatures]
    assert states == ["loaded"] * len(states)
    for name in ("devices", "keep", "memory", "precision", "threads", "min_subgraph_ops"):
        assert (
            getattr(predictor.config, name) == tuple(settings.get(name, ()))
            if name
            in (
                "devices",
                "keep",
            )
            else getattr(predictor.config, name) == getattr(lite.Config("m", **settings), name)
        )


def test_a_plan_is_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model_folder(tmp_path)))
    lite.save_artifact(predictor, tmp_path / "m.lbm")
    loaded = lite.create_predictor(lite.Config(tmp_path / "m.lbm"))
    plan, again = predictor.parts().state.plan, loaded.parts().state.plan

    assert (again.values, again.instructions, again.args, again.results) == (
        plan.values,
        plan.instructions,
        plan.args,
        plan.results,
    )
    assert {n: array.tolist() for n, array in again.constants.items()} == {
        n: array.tolist() for n, array in plan.constants.items()
    }


def test_neither_optimises_nor_packs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = saved(tmp_path)
    monkeypatch.setattr("lite.session.build.optimize", None)
    monkeypatch.setattr("lite.kernels.cpu.convolution.conv2d.dense_weights", None)
    predictor = lite.create_predictor(lite.Config(path))

    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_a_saved_artifact_can_be_saved_again(tmp_path: Path) -> None:
    path, expected = saved(tmp_path, devices=["sim_npu"])
    lite.save_artifact(lite.Config(path), tmp_path / "again.lbm", signatures=[{"x": (1, 3, 8, 8)}])
    predictor = lite.create_predictor(lite.Config(tmp_path / "again.lbm"))

    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)
    assert members(path)["origin.json"] == members(tmp_path / "again.lbm")["origin.json"]


def test_equal_arrays_are_stored_once(tmp_path: Path) -> None:
    path, _ = saved(tmp_path, valid_places=["host"])
    weights = sum(weight.array.nbytes for weight in lite.load_program(path).weights.values())

    assert len(members(path)["weights.bin"]) < 2.2 * weights


def test_the_origin_is_the_program(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    first, second = lite.load_program(tmp_path / "model"), lite.load_program(path)

    assert second.blocks == first.blocks
    assert (second.version, second.op_versions, second.extra) == (
        first.version,
        first.op_versions,
        first.extra,
    )
    assert {n: each.array.tolist() for n, each in second.weights.items()} == {
        n: each.array.tolist() for n, each in first.weights.items()
    }


def test_a_program_in_memory_can_be_saved(tmp_path: Path) -> None:
    predictor = lite.Predictor.of_program(affine(), lite.Config("nothing"))
    lite.save_artifact(predictor, tmp_path / "m.lbm")
    x = np.arange(8, dtype=np.float32).reshape(2, 4)

    for settings in ({}, {"precision": "strict"}):
        loaded = lite.create_predictor(lite.Config(tmp_path / "m.lbm", **settings))  # type: ignore[arg-type]
        np.testing.assert_allclose(loaded.run({"x": x})["y"], affine_reference(x))


def test_bytes_of_an_artifact_are_a_model(tmp_path: Path) -> None:
    path, expected = saved(tmp_path)
    predictor = lite.create_predictor(lite.Config(model_buffer=path.read_bytes()))

    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_settings_of_the_config_win_and_plan_again(tmp_path: Path) -> None:
    path, expected = saved(tmp_path, devices=["sim_npu"])
    predictor = lite.create_predictor(lite.Config(path, valid_places=["host"], threads=2))

    assert predictor.report().warnings == ["the model is optimised again: the Config sets valid_places"]
    assert (predictor.config.devices, predictor.config.threads) == (("sim_npu",), 2)
    np.testing.assert_allclose(predictor.run({"x": image()})["y"], expected, rtol=1e-4, atol=1e-4)


def test_another_version_plans_again(tmp_path: Path) -> None:
    path, expected = saved(tmp_path)
    edit(path, "meta.json", lambda meta: meta["producer"].update(litebridge="0.0.9"))
    predictor = lite.create_predictor(lite.Config(path))

    assert predictor.report().warnings == [
        f"the model is optimised again: litebridge 0.0.9 planned it, this is {lite.__version__}"
    ]
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_another_machine_packs_again(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    path, expected = saved(tmp_path)
    edit(path, "meta.json", lambda meta: meta.update(targets={"cpu": "3 lanes"}))
    predictor = lite.create_predictor(lite.Config(path))

    (warning,) = predictor.report().warnings
    assert warning.startswith("the weights of cpu are packed for 3 lanes, this machine is ")
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_another_driver_builds_its_models_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = saved(tmp_path, devices=["sim_npu"])
    device = type(open_device("sim_npu"))
    monkeypatch.setattr(device, "version", lambda _: "SimNPU SDK 9.9")
    predictor = lite.create_predictor(lite.Config(path))

    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)
    (region,) = predictor.report().regions
    assert [each.state for each in region.signatures] == ["built"]
    assert region.signatures[0].cache == (
        "nearest entry differs in: device version (SimNPU SDK 9.9, there SimNPU SDK 2.1.0)"
    )


def test_a_damaged_device_model_is_built_again(tmp_path: Path) -> None:
    path, expected = saved(tmp_path, devices=["sim_npu"])
    contents = members(path)
    name = "regions/0/sim_npu/0.bin"
    damaged = bytes(len(contents[name]))
    for checksums in (False, True):
        write(path, {**contents, name: damaged}, with_checksums=checksums)
        predictor = lite.create_predictor(lite.Config(path))
        np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)
        assert [each.state for region in predictor.report().regions for each in region.signatures] == [
            "built"
        ]


def test_a_missing_device_leaves_its_ops_to_the_host(tmp_path: Path) -> None:
    path, expected = saved(tmp_path, devices=["sim_npu"])
    edit(path, "meta.json", lambda meta: meta["settings"].update(devices=["nowhere{a=1}"]))
    predictor = lite.create_predictor(lite.Config(path))

    assert predictor.report().warnings == ["the model is optimised again: device nowhere is not installed"]
    np.testing.assert_allclose(predictor.run({"x": image()})["y"], expected, rtol=1e-4, atol=1e-4)
    with pytest.raises(ConfigError, match="nowhere"):
        lite.create_predictor(lite.Config(path, fallback="error"))


def test_without_an_origin_only_the_same_settings_work(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    lite.save_artifact(lite.Config(folder), tmp_path / "m.lbm", origin=False)

    assert lite.create_predictor(lite.Config(tmp_path / "m.lbm")).input_names == ["x"]
    with pytest.raises(ModelParseError, match="without its origin program; it is needed, as the model is"):
        lite.create_predictor(lite.Config(tmp_path / "m.lbm", valid_places=["host"]))
    with pytest.raises(ModelParseError, match="without its origin program"):
        lite.load_program(tmp_path / "m.lbm")


def test_a_module_that_is_no_kernel_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = saved(tmp_path)
    imported: list[str] = []
    monkeypatch.setattr(artifact_module, "load_modules", imported.extend)
    edit(path, "plan.json", lambda plan: plan.update(modules=["os", "lite.kernels", "lite.kernels..x"]))
    predictor = lite.create_predictor(lite.Config(path))

    assert imported == []
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_cached_device_models_serve_other_signatures(tmp_path: Path) -> None:
    path, _ = saved(tmp_path, devices=["sim_npu"])
    x = np.zeros((2, 3, 9, 9), np.float32)
    states = []
    for _ in range(2):
        predictor = lite.create_predictor(lite.Config(path, cache_dir=tmp_path / "cache"))
        predictor.run({"x": x})
        states += [each.state for region in predictor.report().regions for each in region.signatures]
    assert states == ["built", "loaded"]


def test_an_overwritten_artifact_is_noticed(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    predictor = lite.create_predictor(lite.Config(path))
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"changed")

    with pytest.raises(lite.ExecutionError, match="was overwritten"):
        predictor.run({"x": image()})


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = saved(tmp_path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        lite.save_artifact(lite.Config(tmp_path / "model"), path)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model", "model.lbm"]


def test_something_else_is_no_model_to_save(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a Predictor or a Config"):
        lite.save_artifact("model", tmp_path / "m.lbm")  # type: ignore[arg-type]


def test_a_file_of_another_content_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.lbm"
    path.write_bytes(b"nothing")
    with pytest.raises(ModelParseError, match="damaged or incomplete"):
        lite.create_predictor(lite.Config(path))
    with pytest.raises(ModelParseError):
        lite.create_predictor(lite.Config(tmp_path / "absent.lbm"))
