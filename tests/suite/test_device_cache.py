"""The cache as a user has it: what changes is built anew, what is damaged does no harm."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.sim_npu.device import SimNpu
from lite.ir.program import Program
from lite.ir.types import Array
from tests.lite.small_convnet import convnet
from tests.lite.small_models import attribute

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 8, 7)).astype(np.float32)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def state(net: Path, cache: Path, spec: str = "sim_npu", image: Array = IMAGE, **config: bool | int) -> str:
    """How a new predictor came by its model; its results are the host's."""
    wanted = lite.create_predictor(lite.Config(net)).run([image])
    predictor = lite.create_predictor(
        lite.Config(net, devices=[spec], fallback="error", cache_dir=cache, **config)  # type: ignore[arg-type]
    )
    found = predictor.run([image])
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        limit = 1e-3 * float(np.abs(array).max())
        np.testing.assert_allclose(found[name], array, rtol=0, atol=limit)
    (region,) = predictor.report().regions
    return region.state


def entries(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.model"))


def change_weight(program: Program) -> None:
    name = sorted(program.weights)[0]
    array = program.weights[name].array.copy()
    array.flat[0] += 0.25
    program.weights[name].array = array


def change_attribute(program: Program) -> None:
    op = next(op for op in program.blocks[0].ops if op.type == "conv2d")
    op.attrs["paddings"] = attribute([2, 2])


def rename_input(program: Program) -> None:
    block = program.blocks[0]
    old = next(name for op in block.ops if op.type == "feed" for name in op.outputs["Out"])
    block.vars["renamed"] = block.vars.pop(old)
    block.vars["renamed"].name = "renamed"
    for op in block.ops:
        for slots in (op.inputs, op.outputs):
            for slot, names in slots.items():
                slots[slot] = ["renamed" if name == old else name for name in names]


@pytest.mark.parametrize("change", [change_weight, change_attribute, rename_input])
def test_a_changed_model_is_built_anew(net: Path, tmp_path: Path, change: Callable[[Program], None]) -> None:
    cache = tmp_path / "cache"
    assert [state(net, cache), state(net, cache)] == ["built", "loaded"]
    program = convnet()
    change(program)
    lite.save_program(program, net)
    assert [state(net, cache), state(net, cache)] == ["built", "loaded"]
    lite.save_program(convnet(), net)
    assert state(net, cache) == "loaded"
    assert len(entries(cache)) == 2


def test_settings_and_versions_are_told_apart(net: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert state(net, cache) == "built"
    assert state(net, cache, 'sim_npu{sdk_version="7"}') == "built"
    assert state(net, cache, threads=2) == "built"
    assert state(net, cache, image=IMAGE[:1]) == "built"
    assert state(net, cache, verify_weights=True) == "loaded"
    assert state(net, cache, isolate=True) == "loaded"
    assert len(entries(cache)) == 4


@pytest.mark.parametrize("damage", ["flip", "truncate", "empty", "other"])
def test_a_damaged_file_is_replaced_with_one_warning(
    net: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    cache = tmp_path / "cache"
    state(net, cache)
    (path,) = entries(cache)
    content = path.read_bytes()
    middle = len(content) // 2
    if damage == "other":
        state(net, cache, threads=2)
        (content,) = (other.read_bytes() for other in entries(cache) if other != path)
    damaged = {
        "flip": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "truncate": content[:middle],
        "empty": b"",
        "other": content,
    }
    path.write_bytes(damaged[damage])
    assert [state(net, cache), state(net, cache)] == ["built", "loaded"]
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert warning.startswith(f"the kept model {path} cannot be used and is built anew: ")


def test_a_cache_that_cannot_be_written_is_no_failure(
    net: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert [state(net, tmp_path / "file"), state(net, tmp_path / "file")] == ["built", "built"]
    assert all("the model cannot be kept" in record.getMessage() for record in caplog.records)
    assert len(caplog.records) == 2


def test_a_model_that_the_device_no_longer_reads(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    assert state(net, cache) == "built"

    def load(self: SimNpu, blob: bytes) -> None:
        raise ValueError("an old blob")

    with monkeypatch.context() as patched:
        patched.setattr(SimNpu, "load", load)
        assert state(net, cache) == "built"
    assert state(net, cache) == "loaded"


def test_processes_share_a_cache(net: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.suite.test_device_cache import state\n"
        "for _ in range(5): print(state(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", code, str(net), str(tmp_path / "cache")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert [output[1:] for output in outputs] == [["loaded"] * 4] * 2
    assert {output[0] for output in outputs} <= {"built", "loaded"}
    assert len(entries(tmp_path / "cache")) == 1
