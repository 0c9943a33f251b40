"""Damaged plans, directories that cannot be used, and concurrent processes."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.cache import PLANS, CacheDirectory, Entry, plan_cache
from tests.lite.cache.plan_cache.starts import IMAGE, Starts, assert_alike, change_weights
from tests.support.small_convnet import convnet


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "no plan"])
def test_a_damaged_plan_is_reported_and_built_again(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    first = starts(model)
    (entry,) = starts.plans()
    content = entry.path.read_bytes()
    middle = len(content) // 2
    if how == "no plan":
        assert entry.key is not None
        CacheDirectory(starts.cache / PLANS).store(entry.key, b"\2" + bytes(7) + b"{}", "a model")
    else:
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        entry.path.write_bytes({"cut": content[:-1], "flipped": flipped, "empty": b""}[how])
    second = starts(model)
    assert starts.optimised == 2
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"the cached plan {entry.path} cannot be used and is built again: ")
    assert_alike(first, second, IMAGE)
    starts(model)
    assert starts.optimised == 2


def test_no_plan_is_cached_with_a_plug_in_that_lies_in_no_file(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plug-in of an interactive session may differ in the next session."""
    from lite.plugin.kernel.target import TARGETS, Target

    TARGETS.add("session", Target("session"), "__nowhere__")
    try:
        starts(model)
        starts(model)
    finally:
        TARGETS.remove("session")
    assert (starts.optimised, starts.plans()) == (2, [])


def test_a_plug_in_of_the_program_is_in_the_key(starts: Starts, model: Path) -> None:
    from lite.plugin.kernel.target import TARGETS, Target

    starts(model)
    TARGETS.add("extra", Target("extra"), __name__)
    try:
        starts(model)
        starts(model)
    finally:
        TARGETS.remove("extra")
    assert starts.optimised == 2


def test_no_plan_is_cached_of_a_model_that_was_just_written(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been written again while it was read."""
    monkeypatch.setattr(plan_cache, "CLOCK_TICK_NS", 10**12)
    starts(model)
    assert starts.plans() == []


def test_a_removed_parameter_file_is_an_error(starts: Starts, model: Path) -> None:
    starts(model)
    (model / "inference.pdiparams").unlink()
    with pytest.raises(lite.ModelParseError, match="beside it"):
        starts(model)


def test_a_directory_that_cannot_be_created_is_no_error(starts: Starts, model: Path) -> None:
    starts.cache.write_text("not a directory")
    assert_alike(starts(model), starts(model), IMAGE)
    assert starts.optimised == 2


def test_packed_weights_are_stored_for_the_next_process(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lite.cache import packed_weights

    def stored() -> list[Entry]:
        entries = CacheDirectory(starts.cache / PLANS).entries(check=True)
        return [entry for entry in entries if entry.key and entry.key.kind == packed_weights.KIND]

    monkeypatch.setattr(packed_weights, "is_worth_storing", lambda size, _: size > 0)
    monkeypatch.setattr(packed_weights, "WRITE_MIN_SECONDS", 0.0)
    first = starts(model, valid_places=["host"])
    expected = first.run([IMAGE])["y"]
    (entry,) = stored()
    packed_sizes: list[float] = []
    monkeypatch.setattr(packed_weights, "is_worth_storing", lambda size, _: packed_sizes.append(size))
    second = starts(model, valid_places=["host"])
    twin = second.clone()
    for predictor in (second, twin):
        np.testing.assert_array_equal(predictor.run([IMAGE])["y"], expected)
    assert packed_sizes == []
    assert second.memory().packed == first.memory().packed > 0
    assert stored()[0].path == entry.path
    change_weights(model)
    starts(model, valid_places=["host"])
    assert stored() == []


RACE = """
import sys, zlib
import numpy as np
import lite
x = np.ones((2, 3, 20, 20), np.float32)
results = set()
for round in range(6):
    predictor = lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2]))
    results.add(predictor.run([x])["y"].tobytes())
print(len(results), zlib.crc32(results.pop()))
"""


def start(*arguments: object, code: str = RACE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_concurrent_processes_compute_the_same_and_leave_one_plan(starts: Starts, model: Path) -> None:
    processes = [start(model, starts.cache) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    (output,) = set(outputs)
    assert output.startswith("1 ")
    assert [entry.problem for entry in starts.plans()] == [None]


READ_ONLY = """
import os, sys
import lite
from lite.session import build
# Import every module now: after setuid, some of them cannot be read.
for options in {"cache_dir": sys.argv[2]}, {}:
    lite.create_predictor(lite.Config(sys.argv[1], valid_places=["host"], **options))
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
def refuse(*_, **__):
    raise AssertionError("optimised")
build.optimize = refuse
lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2], valid_places=["host"]))
build.optimize = lambda *_, **__: sys.exit(7)
lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2], valid_places=["host"], passes=[]))
"""


PLANNED = """
import sys
import lite
lite.create_predictor(lite.Config(sys.argv[1], cache_dir=sys.argv[2], valid_places=["host"]))
"""


def test_a_read_only_directory_serves_its_plans(open_folder: Path) -> None:
    """The plan is another process's, as plug-ins that tests registered in this one are a part of its key."""
    model, cache = open_folder / "net", open_folder / "cache"
    lite.save_program(convnet(), model)
    first = start(model, cache, code=PLANNED)
    assert (first.communicate()[0], first.returncode) == ("", 0)
    # As an administrator does who lets others read.
    for path in cache.rglob("*"):
        path.chmod(0o644)
    for folder in (cache / PLANS, cache):
        folder.chmod(0o555)
    try:
        process = start(model, cache, code=READ_ONLY)
        output = process.communicate()[0]
    finally:
        for folder in (cache, cache / PLANS):
            folder.chmod(0o755)
    assert process.returncode == 7, output
