"""Plans in the cache's directory: found where nothing changed, made anew after every change."""

from __future__ import annotations

import dataclasses
import logging
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import lite
from lite import plan_cache, plan_key
from lite.ir.program import Program
from lite.ir.types import Array
from lite.load import load_program
from lite.optimize import optimize
from lite.plan_key import ELSEWHERE
from lite.runtime.cache import PLANS, DeviceCache, Entry
from tests.lite.small_convnet import convnet
from tests.lite.small_models import affine

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 20, 20)).astype(np.float32)


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of tests are new."""
    monkeypatch.setattr(plan_cache, "TICK_NS", -(10**12))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


class Starts:
    """Predictors of one cache, and how many of them were optimised."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache = cache
        self.optimised = 0
        self.parsed = 0

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self.optimised += 1
            return optimize(*arguments, **keywords)

        def parsed(*arguments: Any) -> Program:
            self.parsed += 1
            return load_program(*arguments)

        monkeypatch.setattr(plan_cache, "optimize", counted)
        monkeypatch.setattr(plan_cache, "load_program", parsed)

    def __call__(self, model: Path | None = None, **options: Any) -> lite.Predictor:
        return lite.create_predictor(lite.Config(model, cache_dir=self.cache, **options))

    def plans(self) -> list[Entry]:
        kept = DeviceCache(self.cache / PLANS).entries(check=True)
        return [entry for entry in kept if entry.key is None or entry.key.kind == plan_key.KIND]


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starts:
    return Starts(tmp_path / "cache", monkeypatch)


def assert_alike(first: lite.Predictor, second: lite.Predictor, *inputs: Array) -> None:
    """The same results, bit by bit, and all else that a predictor says."""
    assert (first.input_names, first.output_names) == (second.input_names, second.output_names)
    for name in first.input_names:
        mine, theirs = first.get_input(name), second.get_input(name)
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
    wanted, found = first.run(list(inputs)), second.run(list(inputs))
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
    assert second.memory().arenas == first.memory().arenas


def test_a_second_start_neither_parses_nor_optimises(starts: Starts, model: Path) -> None:
    plain = lite.create_predictor(lite.Config(model))
    first, second = starts(model), starts(model)
    assert (starts.optimised, starts.parsed) == (1, 1)
    assert_alike(plain, first, IMAGE)
    assert_alike(first, second, IMAGE)
    assert_alike(second, second.clone(), IMAGE)
    assert second.report().to_dict() == plain.report().to_dict()
    assert second.pass_records == []
    assert second.optimized_program().blocks[0].ops == plain.optimized_program().blocks[0].ops


def test_nothing_is_kept_without_a_directory(starts: Starts, model: Path) -> None:
    lite.create_predictor(lite.Config(model)).run([IMAGE])
    assert not starts.cache.exists()


@pytest.mark.parametrize("options", [{"debug": True}, {"dot_dir": "pictures"}])
def test_what_is_looked_at_is_made_anew(
    starts: Starts, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    starts(model, **options)
    assert starts.plans() == []


def test_weights_that_stay_are_not_written_again(starts: Starts, model: Path) -> None:
    starts(model, valid_places=["host"])
    (entry,) = starts.plans()
    assert entry.size < 0.5 * (model / "inference.pdiparams").stat().st_size


OPTIONS: dict[str, Any] = {
    "passes": [],
    "keep": ["a"],
    "input_shapes": {"x": (2, 3, 20, 20)},
    "precision": "strict",
    "memory": "plain",
    "fallback": "error",
    "min_subgraph_ops": 3,
    "placement": "fewest_regions",
    "valid_places": ["host"],
    "partition_rules": "relu",
    "devices": ["sim_npu"],
}
"""A value for each field of a Config that changes what a plan is."""


def test_every_field_of_a_config_is_decided_on() -> None:
    fields = {field.name for field in dataclasses.fields(lite.Config)}
    assert {*OPTIONS, *ELSEWHERE} == fields


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_has_a_plan_of_its_own(starts: Starts, model: Path, option: str) -> None:
    value = OPTIONS[option]
    given = {option: value}
    if option in ("partition_rules", "min_subgraph_ops", "placement"):
        given["devices"] = ["sim_npu"]
    starts(model)
    for _ in range(2):
        changed = starts(model, **given)
    starts(model)
    assert starts.optimised == 2
    assert_alike(lite.create_predictor(lite.Config(model, **given)), changed, IMAGE)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 2},
        {"max_signatures": 1},
        {"verify_weights": True},
        {"time_limit": 5.0},
        {"passes": None},
    ],
)
def test_options_for_running_share_a_plan(starts: Starts, model: Path, options: dict[str, Any]) -> None:
    starts(model)
    starts(model, **options)
    assert starts.optimised == 1


def test_what_a_device_is_told_has_plans_of_its_own(starts: Starts, model: Path) -> None:
    for devices, threads in ((["sim_npu"], 1), (["sim_npu"], 2), (["sim_npu{max_ops=3}"], 1)):
        starts(model, devices=devices, threads=threads)
    assert starts.optimised == 3


def test_rules_in_a_file_count_by_what_they_say(starts: Starts, model: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    for text, optimised in (("relu", 1), ("conv2d", 2), ("conv2d", 2)):
        rules.write_text(text)
        starts(model, devices=["sim_npu"], partition_rules=rules)
        assert starts.optimised == optimised


def other_weights(model: Path) -> None:
    program = convnet()
    program.weights["w3"].array = program.weights["w3"].array + 1
    lite.save_program(program, model)


def one_byte(model: Path) -> None:
    """At the same size and time of change."""
    path = model / "inference.pdiparams"
    found, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "other weights": other_weights,
    "one byte": one_byte,
    "another program": lambda model: lite.save_program(_without_relu(), model),
}


def _without_relu() -> Program:
    program = convnet()
    program.blocks[0].ops[2].type = "tanh"
    return program


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verify", [False, True])
def test_another_model_in_its_place(starts: Starts, model: Path, change: str, verify: bool) -> None:
    starts(model).run([IMAGE])
    CHANGES[change](model)
    changed = starts(model, verify_weights=verify)
    assert starts.optimised == 2
    assert_alike(lite.create_predictor(lite.Config(model)), changed, IMAGE)
    assert len(starts.plans()) == 1  # what nobody will ask for again is gone


def test_the_same_model_elsewhere(starts: Starts, model: Path, tmp_path: Path) -> None:
    first = starts(model)
    model.rename(tmp_path / "moved")
    assert_alike(first, starts(tmp_path / "moved"), IMAGE)
    assert (starts.optimised, starts.parsed) == (1, 2)
    starts(tmp_path / "moved")
    assert starts.parsed == 2


def test_a_file_that_another_model_search_would_find(starts: Starts, model: Path, tmp_path: Path) -> None:
    """Beside ``inference.pdmodel`` a ``__model__`` is found first."""
    starts(model)
    lite.save_program(affine(), tmp_path / "affine", combined=False)
    for path in (tmp_path / "affine").iterdir():
        path.rename(model / path.name)
    assert starts(model).output_names == lite.create_predictor(lite.Config(model)).output_names


def test_a_model_given_as_bytes(starts: Starts, model: Path) -> None:
    program, params = ((model / f"inference.{name}").read_bytes() for name in ("pdmodel", "pdiparams"))
    wanted = lite.create_predictor(lite.Config(model))
    for _ in range(2):
        found = starts(model_buffer=program, params_buffer=params)
    assert starts.optimised == 1
    assert_alike(wanted, found, IMAGE)
    starts(model_buffer=program, params_buffer=params[:-1] + b"\0")
    assert starts.optimised == 2


def test_separate_parameters(starts: Starts, tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net", combined=False)
    first, second = starts(tmp_path / "net"), starts(tmp_path / "net")
    assert starts.optimised == 1
    assert_alike(first, second, IMAGE)
    path = tmp_path / "net" / "w3"
    path.write_bytes(path.read_bytes()[:-4] + np.float32(9).tobytes())
    assert_alike(lite.create_predictor(lite.Config(tmp_path / "net")), starts(tmp_path / "net"), IMAGE)
    assert starts.optimised == 2


def test_external_data_of_onnx(starts: Starts, tmp_path: Path) -> None:
    weight = np.random.default_rng(1).standard_normal((60, 50)).astype(np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, [1, 60])],
        [onnx.helper.make_tensor_value_info("y", 1, [1, 50])],
        [onnx.numpy_helper.from_array(weight, "w")],
    )
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path = tmp_path / "m" / "m.onnx"
    path.parent.mkdir()
    onnx.save(proto, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    x = np.ones((1, 60), np.float32)
    assert_alike(starts(path), starts(path), x)
    assert starts.optimised == 1
    (tmp_path / "m" / "w.bin").write_bytes((weight + 1).tobytes())
    np.testing.assert_allclose(starts(path).run([x])["y"], x @ (weight + 1), rtol=1e-4)
    assert starts.optimised == 2


PARTS = {
    "litebridge version": (plan_key, "VERSION", "99.0"),
    "key version": (plan_key, "KEY_VERSION", 99),
    "libraries": (plan_key, "LIBRARIES", ("numpy-",)),
    "sources": (plan_key, "source_digest", lambda *_, **__: ("other sources", 1)),
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_code_counts(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, part: str
) -> None:
    starts(model)
    monkeypatch.setattr(*PARTS[part])
    with caplog.at_level(logging.INFO, plan_cache.__name__):
        starts(model)
    assert starts.optimised == 2
    (message,) = [record.getMessage() for record in caplog.records if record.name == plan_cache.__name__]
    assert message.startswith(f"{model} is optimised anew: nearest entry differs in: {part}")


def test_a_device_that_goes_or_changes(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from lite.bridges.sim_npu.device import SimNpu

    starts(model, devices=["sim_npu"])
    with monkeypatch.context() as patch:
        patch.setattr(SimNpu, "version", lambda _: "99.0")
        starts(model, devices=["sim_npu"])
    assert starts.optimised == 2
    with monkeypatch.context() as patch:
        patch.setattr(SimNpu, "available", lambda _: "it was pulled out")
        for _ in range(2):
            caplog.clear()
            found = starts(model, devices=["sim_npu"])
            assert [record.getMessage() for record in caplog.records] == [
                "device sim_npu cannot be used: it was pulled out"
            ]
            assert found.report().warnings == ["device sim_npu cannot be used: it was pulled out"]
        with pytest.raises(lite.CompileError, match="pulled out"):
            starts(model, devices=["sim_npu"], fallback="error")
    assert starts.optimised == 3


def test_a_rule_that_matches_nothing_is_said_each_time(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        caplog.clear()
        starts(model, devices=["sim_npu"], partition_rules="tanh")
        assert [record.getMessage() for record in caplog.records] == [
            "partition rules, line 1: 'tanh' matches no op"
        ]
    assert starts.optimised == 1


@pytest.mark.parametrize("options", ["", "memory=true", "max_ops=3", "max_ops=3, memory=true"])
def test_regions_of_a_device(starts: Starts, model: Path, options: str) -> None:
    devices = [f"sim_npu{{{options}}}"]
    first = starts(model, devices=devices, fallback="error")
    wanted = first.run([IMAGE])["y"]
    second = starts(model, devices=devices, fallback="error")
    assert second.report().to_dict()["ops"] == first.report().to_dict()["ops"]
    np.testing.assert_array_equal(second.run([IMAGE])["y"], wanted)
    assert starts.optimised == 1
    assert {region.state for region in second.report().regions} == {"loaded"}
    plain = lite.create_predictor(lite.Config(model, devices=devices)).report().to_dict()
    assert starts(model, devices=devices).report().to_dict() == plain


def test_a_device_in_a_process_of_its_own_runs_the_same_plan(starts: Starts, model: Path) -> None:
    wanted = starts(model, devices=["sim_npu"], fallback="error").run([IMAGE])["y"]
    isolated = starts(model, devices=["sim_npu"], fallback="error", isolate=True)
    np.testing.assert_array_equal(isolated.run([IMAGE])["y"], wanted)
    assert starts.optimised == 1


def test_passes_that_open_devices_have_no_kept_plan(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, plan_cache.__name__):
        for _ in range(2):
            found = starts(model, passes=["subgraph_pass{device=sim_npu}"])
            assert [region.device for region in found.report().regions] == ["sim_npu"]
    assert (starts.optimised, starts.plans()) == (2, [])
    assert "names devices; only those in Config.devices are in the key" in caplog.text


def test_a_region_of_a_kept_plan_falls_back(starts: Starts, model: Path) -> None:
    wanted = lite.create_predictor(lite.Config(model, valid_places=["host"])).run([IMAGE])["y"]
    for _ in range(2):
        found = starts(model, devices=["sim_npu{fail_run=1}"], valid_places=["host"])
        np.testing.assert_array_equal(found.run([IMAGE])["y"], wanted)
    assert starts.optimised == 1


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "no plan"])
def test_a_damaged_plan_is_made_anew_and_said(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    first = starts(model)
    (entry,) = starts.plans()
    content = entry.path.read_bytes()
    middle = len(content) // 2
    if how == "no plan":
        assert entry.key is not None
        DeviceCache(starts.cache / PLANS).store(entry.key, b"\2" + bytes(7) + b"{}", "a model")
    else:
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        entry.path.write_bytes({"cut": content[:-1], "flipped": flipped, "empty": b""}[how])
    second = starts(model)
    assert starts.optimised == 2
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"the kept plan {entry.path} cannot be used and is built anew: ")
    assert_alike(first, second, IMAGE)
    starts(model)
    assert starts.optimised == 2


def test_what_belongs_to_no_file_is_not_kept(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plug-in of an interactive session may be another one next time."""
    from lite.plugin.target import TARGETS, Target

    TARGETS.add("session", Target("session"), "__nowhere__")
    try:
        starts(model)
        starts(model)
    finally:
        TARGETS.remove("session")
    assert (starts.optimised, starts.plans()) == (2, [])


def test_plug_ins_of_the_program_count(starts: Starts, model: Path) -> None:
    from lite.plugin.target import TARGETS, Target

    starts(model)
    TARGETS.add("ours", Target("ours"), __name__)
    try:
        starts(model)
        starts(model)
    finally:
        TARGETS.remove("ours")
    assert starts.optimised == 2


def test_a_model_that_was_just_written_is_not_kept(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been written again while it was read."""
    monkeypatch.setattr(plan_cache, "TICK_NS", 10**12)
    starts(model)
    assert starts.plans() == []


def test_a_model_that_is_gone(starts: Starts, model: Path) -> None:
    starts(model)
    (model / "inference.pdiparams").unlink()
    with pytest.raises(lite.ModelParseError, match="beside it"):
        starts(model)


def test_a_directory_that_cannot_be_made(starts: Starts, model: Path) -> None:
    starts.cache.write_text("no directory")
    assert_alike(starts(model), starts(model), IMAGE)
    assert starts.optimised == 2


def test_packed_weights_are_kept_for_the_next_process(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lite.runtime.cache import packed_weights

    def kept() -> list[Entry]:
        entries = DeviceCache(starts.cache / PLANS).entries(check=True)
        return [entry for entry in entries if entry.key and entry.key.kind == packed_weights.KIND]

    monkeypatch.setattr(packed_weights, "is_worth_keeping", lambda size, _: size > 0)
    monkeypatch.setattr(packed_weights, "WORTH_WRITING", 0.0)
    first = starts(model, valid_places=["host"])
    wanted = first.run([IMAGE])["y"]
    (entry,) = kept()
    made: list[float] = []
    monkeypatch.setattr(packed_weights, "is_worth_keeping", lambda size, _: made.append(size))
    second = starts(model, valid_places=["host"])
    twin = second.clone()
    for predictor in (second, twin):
        np.testing.assert_array_equal(predictor.run([IMAGE])["y"], wanted)
    assert made == []
    assert second.memory().packed == first.memory().packed > 0
    assert kept()[0].path == entry.path
    other_weights(model)
    starts(model, valid_places=["host"])
    assert kept() == []


RACE = """
import sys, zlib
import numpy as np
import lite
x = np.ones((2, 3, 20, 20), np.float32)
found = set()
for round in range(6):
    predictor = lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2]))
    found.add(predictor.run([x])["y"].tobytes())
print(len(found), zlib.crc32(found.pop()))
"""


def start(*arguments: object, code: str = RACE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_processes_race_on_one_directory(starts: Starts, model: Path) -> None:
    processes = [start(model, starts.cache) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    (output,) = set(outputs)
    assert output.startswith("1 ")
    assert [entry.problem for entry in starts.plans()] == [None]


READ_ONLY = """
import os, sys
import lite
from lite import plan_cache
# What is imported later may lie where only its owner can read it.
for options in {"cache_dir": sys.argv[2]}, {}:
    lite.create_predictor(lite.Config(sys.argv[1], valid_places=["host"], **options))
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
def refuse(*_, **__):
    raise AssertionError("optimised")
plan_cache.optimize = refuse
lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2], valid_places=["host"]))
plan_cache.optimize = lambda *_, **__: sys.exit(7)
lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2], valid_places=["host"], passes=[]))
"""


def test_a_directory_that_may_be_read_only(starts: Starts, model: Path) -> None:
    """Hits still hit."""
    starts(model, valid_places=["host"])
    folders = [folder for folder in starts.cache.parents if folder.name.startswith(("pytest-", "test_"))]
    for folder in folders:
        folder.chmod(0o755)
    for folder in (starts.cache / PLANS, starts.cache):
        folder.chmod(0o555)
    try:
        process = start(model, starts.cache, code=READ_ONLY)
        output = process.communicate()[0]
    finally:
        for folder in (starts.cache, starts.cache / PLANS):
            folder.chmod(0o755)
    assert process.returncode == 7, output
