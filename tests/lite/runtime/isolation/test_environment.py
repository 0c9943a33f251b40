"""A device with an environment of its own: whatever its SDK does, the host has the right answer."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.environments.folder import environment_folder
from tests.lite.runtime.isolation.processes import children, comes_true, linux_only
from tests.support.fake_sdk_device import NAME, SDK, registered
from tests.support.fake_sdk_environment import make_environment, mark

X = np.array([[-1, 2, 0.5], [3, -4, 0]], np.float32)
EXPECTED = np.tanh(np.maximum(X, 0))


@pytest.fixture(autouse=True)
def _device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "data").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with registered():
        yield


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """``tanh(relu(x))``."""
    from lite.ir.lower import lower_graph
    from lite.ir.text import parse_graph

    graph = parse_graph(
        "graph main(%x: float32[2,3]) {\n  %y = relu(X=%x)\n  %z = tanh(X=%y)\n  return %z\n}\n"
    )
    lite.save_program(lower_graph(graph), tmp_path / "model")
    return tmp_path / "model"


def run(model: Path, device: str = NAME, **settings: Any) -> lite.Predictor:
    """A predictor after a run, whose result is right."""
    predictor = lite.create_predictor(lite.Config(model, devices=[device], **settings))
    [result] = predictor.run({"x": X}).values()
    np.testing.assert_allclose(result, EXPECTED, rtol=1e-6)
    return predictor


def why_not(predictor: lite.Predictor) -> str:
    """Why the device did not run the only region, or why there is none."""
    report = predictor.report()
    reasons = [region.reason for region in report.regions if region.state in ("host", "split")]
    return reasons[0] if reasons else report.ops[0].why_not[NAME]


def test_a_model_runs_by_the_sdk_of_the_environment(model: Path) -> None:
    make_environment()
    [region] = run(model, fallback="error").report().regions
    assert (region.state, len(region.ops)) == ("built", 2)
    assert "fakesdk" not in sys.modules


def test_a_stored_model_is_loaded(model: Path, tmp_path: Path) -> None:
    make_environment()
    states = [
        run(model, fallback="error", cache_dir=tmp_path / "cache").report().regions[0].state for _ in range(2)
    ]
    assert states == ["built", "loaded"]


def test_the_worker_has_only_the_packages_of_its_environment(
    model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packages = make_environment()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "users"))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "users" / "startup.py"))
    [info] = [info for info in lite.list_devices() if info.name == NAME]
    assert info.why_not is None
    worker = json.loads(info.version)
    assert worker["prefix"] == str(environment_folder(NAME))
    assert str(packages) in worker["path"]
    assert str(tmp_path / "users") not in worker["path"]
    users = [path for path in sys.path if path.endswith("site-packages")]
    assert not set(users) & set(worker["path"])
    assert not {"google.protobuf", "onnx", "lite.session.predictor"} & set(worker["modules"])


def test_what_the_sdk_prints_is_not_in_the_programs_output(
    model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_environment()
    run(model, fallback="error")
    assert capfd.readouterr() == ("", "")


def test_files_of_the_sdk_are_removed(model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    make_environment()
    predictor = run(model, fallback="error")
    logs = list((tmp_path / "temporary").glob("*/fakesdk.log"))
    assert len(logs) == 1
    del predictor
    gc.collect()
    assert comes_true(lambda: not list((tmp_path / "temporary").iterdir()))
    assert list((tmp_path / "here").iterdir()) == []


def test_without_an_environment_the_reason_says_what_to_do(model: Path) -> None:
    assert why_not(run(model)) == ("its environment is not installed: litebridge devices install fake_sdk")
    with pytest.raises(lite.CompileError, match="litebridge devices install fake_sdk"):
        run(model, fallback="error")


@pytest.mark.parametrize(
    ("sdk", "reason"),
    [
        (SDK.replace('"1.0"', '"2.0"'), "expected fakesdk 1.0, got 2.0"),
        ("import a_missing_library", "No module named 'a_missing_library'"),
        ("import os\nprint('needs a driver')\nos._exit(3)", "exit status 3"),
        ("raise SystemExit('no licence file')", "SystemExit: no licence file"),
    ],
)
def test_an_sdk_that_cannot_be_used_gives_its_reason(model: Path, sdk: str, reason: str) -> None:
    make_environment(sdk)
    assert reason in why_not(run(model))


def test_an_sdk_that_is_not_there_gives_a_reason(model: Path) -> None:
    (make_environment() / "fakesdk.py").unlink()
    assert why_not(run(model)).endswith("fakesdk is not installed")


def test_an_interpreter_that_does_not_start_gives_a_reason(model: Path) -> None:
    make_environment()
    python = environment_folder(NAME) / "bin" / "python"
    python.unlink()
    python.write_text("not a program")
    python.chmod(0o755)
    assert "its worker process cannot be started: " in why_not(run(model))


def test_an_interpreter_of_another_version_gives_a_reason(model: Path) -> None:
    make_environment()
    python = environment_folder(NAME) / "bin" / "python"
    python.unlink()
    python.write_text("#!/bin/sh\necho 'SyntaxError: invalid syntax'\nexit 1\n")
    python.chmod(0o755)
    assert "SyntaxError: invalid syntax" in why_not(run(model))


def test_an_environment_of_other_requirements_gives_a_reason(model: Path) -> None:
    make_environment()
    mark("another digest")
    assert "was installed for other requirements" in why_not(run(model))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("when=compile, does=raise", "SystemError: the vendor's message; it printed: fakesdk: raise"),
        ("when=compile, does=leave", "SystemExit: no licence"),
        ("when=compile, does=exit", "ended with exit status 7"),
        ("when=run, does=raise", "SystemError: the vendor's message"),
        ("when=run, does=exit", "ended with exit status 7"),
        ("when=run, does=list", "float64"),
        ("when=run, does=float64", "the device returned float64[2, 3] for output 'z', expected float32[2,3]"),
    ],
)
def test_a_failure_of_the_sdk_is_a_reason_and_the_host_answers(model: Path, fault: str, reason: str) -> None:
    make_environment()
    predictor = run(model, f"{NAME}{{{fault}}}")
    assert reason in why_not(predictor)
    np.testing.assert_allclose(predictor.run({"x": X})["z"], EXPECTED, rtol=1e-6)


@linux_only
@pytest.mark.parametrize("fault", ["when=compile, does=hang", "when=compile, does='hang in a child'"])
def test_an_sdk_that_hangs_is_killed_with_its_children(model: Path, fault: str) -> None:
    make_environment()
    before = _all_processes()
    predictor = run(model, f"{NAME}{{{fault}}}", time_limit=3.0)
    assert "did not answer within 3 s and was killed" in why_not(predictor)
    del predictor
    gc.collect()
    assert comes_true(lambda: _all_processes() <= before | children())


def _all_processes() -> set[int]:
    """The processes of this user whose program is the interpreter of a test's environment."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(str(environment_folder(NAME))) in command:
            found.add(int(path.name))
    return found
