"""litebridge build: the files of regions, the manifest, and its check."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.plugin.device.opening import open_device
from lite.tools.analysis.device_build import build_regions, check_folder
from tests.tools.tiny_model import X, call, call_json, reference

BUILD = ("build", "model_dir", "--shape", "x=2,4", "--device", "sim_npu", "-o", "built")


def build() -> dict[str, Any]:
    result: dict[str, Any] = call_json(*BUILD)
    return result


def test_a_build_writes_the_models_of_all_regions(workplace: Path) -> None:
    manifest = build()

    assert json.loads(Path("built/manifest.json").read_bytes()) == manifest
    (region,) = manifest["regions"]
    (entry,) = region.pop("files")
    content = Path("built/region_0/model.bin").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert entry == {"path": "region_0/model.bin", "bytes": len(content), "sha256": digest}
    assert [op["type"] for op in region.pop("ops")] == ["mul", "elementwise_add", "relu"]
    assert region == {
        "name": "region_0",
        "device": "sim_npu",
        "device_version": open_device("sim_npu").version(),
        "precision": "float32",
        "state": "built",
        "reason": "",
        "inputs": [{"name": "x", "dtype": "float32", "shape": [2, 4]}],
        "outputs": [{"name": "y", "dtype": "float32", "shape": [2, 3]}],
        "group": None,
    }
    assert manifest["inputs"] == [{"name": "x", "dtype": "float32", "shape": [2, 4]}]
    assert (manifest["outputs"], manifest["host"]) == (["y"], [])


def test_the_device_loads_a_written_model(workplace: Path) -> None:
    build()

    model = open_device("sim_npu").load(Path("built/region_0/model.bin").read_bytes())

    (result,) = model.run([X], [None])
    assert abs(result - reference(X)).max() < 1e-5


def test_ops_for_the_host_have_their_reasons(workplace: Path) -> None:
    manifest: dict[str, Any] = call_json(*BUILD, "--partition-rules", "relu -> host")

    (op,) = manifest["host"]
    assert (op["name"], op["type"]) == ("y", "relu")
    assert "partition rule" in op["why_not"]["sim_npu"]
    assert [each["type"] for region in manifest["regions"] for each in region["ops"]] == [
        "mul",
        "elementwise_add",
    ]


def test_a_later_build_replaces_an_earlier_one(workplace: Path) -> None:
    build()
    build()

    assert sorted(path.name for path in Path("built").rglob("*") if path.is_file()) == [
        "manifest.json",
        "model.bin",
        "report.json",
    ]
    assert call_json("build", "--check", "built") == {"files": 2, "problems": []}


def test_a_folder_with_other_files_is_left_alone(workplace: Path) -> None:
    result = call(*BUILD[:-1], "samples")

    assert result.exit_code == 1
    assert "samples has files that no build wrote" in result.output
    assert [path.name for path in Path("samples").iterdir()] == ["0.npy"]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda path: path.unlink(), "region_0/model.bin is missing"),
        (lambda path: path.write_bytes(b"short"), "region_0/model.bin has 5 bytes, expected"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\xff"),
            "region_0/model.bin differs: its checksum is not that of the manifest",
        ),
        (lambda path: path.with_name("new").touch(), "region_0/new is not in the manifest"),
    ],
)
def test_a_check_finds_damage(workplace: Path, damage: Any, problem: str) -> None:
    build()
    damage(Path("built/region_0/model.bin"))

    result = call("build", "--check", "built")

    assert result.exit_code == 3
    assert result.output.splitlines()[0].startswith(problem)
    assert result.output.splitlines()[1] == "built: 2 files, 1 problems"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no manifest of a build"),
        ('{"format": 9}', "has format 9, expected 1"),
        ('{"format": 1, "regions": 3}', "is no manifest of a build"),
        (
            '{"format": 1, "regions": [], "report": {"path": "../x", "bytes": 0, "sha256": ""}}',
            "names a file outside of its folder: '../x'",
        ),
    ],
)
def test_another_manifest_is_an_error(workplace: Path, text: str, message: str) -> None:
    Path("built").mkdir()
    Path("built/manifest.json").write_text(text)

    result = call("build", "--check", "built")

    assert result.exit_code == 1
    assert message in result.output


def test_a_folder_without_a_manifest_is_an_error(workplace: Path) -> None:
    result = call("build", "--check", "samples")

    assert result.exit_code == 1
    assert "samples has no manifest.json: no build wrote it" in result.output


@pytest.mark.parametrize("arguments", [(), ("model_dir",), ("model_dir", "-o", "built")])
def test_missing_arguments_are_a_usage_error(workplace: Path, arguments: tuple[str, ...]) -> None:
    result = call("build", *arguments)

    assert result.exit_code == 2
    assert (
        "give MODEL and --out FILE.lbm, or MODEL, --device or --target, and --out DIR; or --check"
        in result.output
    )


def test_a_device_that_only_builds_writes_its_files(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lite.bridges.sim_npu.device import SimNpu

    monkeypatch.setattr(SimNpu, "why_not_run", lambda _: "this is a test")

    result = call(*BUILD, "--json")

    (region,) = json.loads(result.stdout)["regions"]
    assert result.stderr.count("sim_npu only builds models here: this is a test") == 1
    assert (region["state"], region["reason"]) == ("host", "sim_npu only builds models here: this is a test")
    assert [each["path"] for each in region["files"]] == ["region_0/model.bin"]


def test_signatures_of_one_region_have_folders_of_their_own(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir", devices=["sim_npu"]))
    predictor.run({"x": X[:1]})

    manifest = build_regions(predictor, {"x": X}, Path("built"))

    shapes = {region["name"]: region["inputs"][0]["shape"] for region in manifest["regions"]}
    assert shapes == {"region_0_0": [1, 4], "region_0_1": [2, 4]}
    assert check_folder(Path("built")).problems == []
