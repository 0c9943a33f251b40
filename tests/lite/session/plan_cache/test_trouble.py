"""Damaged plans, directories that cannot be used, and processes that race."""

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
from tests.lite.session.plan_cache.starts import IMAGE, Starts, assert_alike, other_weights


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


def test_what_belongs_to_no_file_is_not_kept(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plug-in of an interactive session may be another one next time."""
    from lite.plugin.kernel.target import TARGETS, Target

    TARGETS.add("session", Target("session"), "__nowhere__")
    try:
        starts(model)
        starts(model)
    finally:
        TARGETS.remove("session")
    assert (starts.optimised, starts.plans()) == (2, [])


def test_plug_ins_of_the_program_count(starts: Starts, model: Path) -> None:
    from lite.plugin.kernel.target import TARGETS, Target

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
    from lite.cache import packed_weights

    def kept() -> list[Entry]:
        entries = CacheDirectory(starts.cache / PLANS).entries(check=True)
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
from lite.session import build
# What is imported later may lie where only its owner can read it.
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


def test_a_directory_that_may_be_read_only(starts: Starts, model: Path) -> None:
    """Hits still hit."""
    starts(model, valid_places=["host"])
    names = ("pytest-", "popen-", "test_")
    folders = [folder for folder in starts.cache.parents if folder.name.startswith(names)]
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
