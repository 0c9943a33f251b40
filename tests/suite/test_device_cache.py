"""Cached models of a device: used if nothing changed, built again otherwise."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.sim_npu import device as sim
from lite.ir.program import Program
from lite.ir.types import Array
from tests.support.small_convnet import convnet

X = np.random.default_rng(0).standard_normal((1, 3, 6, 6)).astype(np.float32)
CODE = """
import sys, numpy, lite
model, cache, x = sys.argv[1:]
p = lite.create_predictor(lite.Config(model, devices=["sim_npu"], cache_dir=cache, fallback="error"))
numpy.save(sys.stdout.buffer, p.run([numpy.load(x)])["y"])
print(p.report().regions[0].state, file=sys.stderr)
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def state(model: Path, cache: Path, spec: str = "sim_npu") -> str:
    """Run with `fallback="error"` and compare with the host; the state of the only region."""
    config = lite.Config(model, devices=[spec], cache_dir=cache, fallback="error")
    predictor = lite.create_predictor(config)
    [name] = predictor.input_names
    [result] = predictor.run({name: X}).values()
    [expected] = lite.create_predictor(lite.Config(model, precision="strict")).run([X]).values()
    assert float(np.abs(result - expected).max()) <= 1e-4 * float(np.abs(expected).max())
    [region] = predictor.report().regions
    return region.state


def changed(tmp_path: Path, change: Callable[[Program], None]) -> Path:
    """The network with a change."""
    program = convnet()
    change(program)
    lite.save_program(program, tmp_path / "changed")
    return tmp_path / "changed"


def entries(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def largest(cache: Path) -> Path:
    return max(entries(cache), key=lambda path: path.stat().st_size)


def test_the_second_predictor_loads_the_cached_model(net: Path, cache: Path) -> None:
    assert [state(net, cache) for _ in range(3)] == ["built", "loaded", "loaded"]


def test_a_copy_of_the_model_elsewhere_is_a_hit(net: Path, cache: Path, tmp_path: Path) -> None:
    assert state(net, cache) == "built"
    assert state(changed(tmp_path, lambda _: None), cache) == "loaded"


def _other_weight(program: Program) -> None:
    array = program.weights["w2"].array.copy()
    array[0, 0, 0, 0] = np.nextafter(array[0, 0, 0, 0], np.float32(np.inf))
    program.weights["w2"].array = array


def _other_attribute(program: Program) -> None:
    [conv] = [op for op in program.blocks[0].ops if op.outputs.get("Output") == ["c"]]
    conv.attrs["paddings"].value = [0, 0]


def _renamed_input(program: Program) -> None:
    block = program.blocks[0]
    block.vars["image"] = block.vars.pop("x")
    block.vars["image"].name = "image"
    for op in block.ops:
        for slots in (op.inputs, op.outputs):
            for slot, names in slots.items():
                slots[slot] = ["image" if name == "x" else name for name in names]


@pytest.mark.parametrize("change", [_other_weight, _other_attribute, _renamed_input])
def test_another_model_is_a_miss(
    net: Path, cache: Path, tmp_path: Path, change: Callable[[Program], None]
) -> None:
    assert state(net, cache) == "built"
    assert state(changed(tmp_path, change), cache) == "built"
    assert state(net, cache) == "loaded"


def test_another_version_of_the_sdk_is_a_miss(
    net: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state(net, cache) == "built"
    with monkeypatch.context() as patch:
        patch.setattr(sim.SimNpu, "version", lambda _: "SimNPU SDK 99")
        assert state(net, cache) == "built"
    assert state(net, cache) == "loaded"


def test_other_options_are_a_miss(net: Path, cache: Path) -> None:
    assert state(net, cache) == "built"
    assert state(net, cache, "sim_npu{cores=2}") == "built"


def test_an_edited_bridge_is_a_miss(net: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state(net, cache) == "built"
    edited, real = Path(sim.__file__), Path.read_bytes
    more = real(edited) + b"\n# edited\n"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: more if path.name == edited.name else real(path))
        assert state(net, cache) == "built"
    assert state(net, cache) == "loaded"


def _flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("where", [0.0, 0.02, 0.5, 0.999])
def test_an_entry_with_a_flipped_bit_is_replaced(
    net: Path, cache: Path, caplog: pytest.LogCaptureFixture, where: float
) -> None:
    assert state(net, cache) == "built"
    path = largest(cache)
    _flip(path, int(where * path.stat().st_size))
    caplog.clear()
    assert state(net, cache) == "built"
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    assert state(net, cache) == "loaded"


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_entry_is_replaced(net: Path, cache: Path, kept: int) -> None:
    assert state(net, cache) == "built"
    path = largest(cache)
    path.write_bytes(path.read_bytes()[:kept])
    assert state(net, cache) == "built"
    assert state(net, cache) == "loaded"


def test_an_unwritable_directory_gives_a_warning(
    net: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file is in place of the directory, so that even root cannot write there."""
    cache.write_text("not a directory")
    assert state(net, cache) == "built"
    assert any("cannot be cached" in record.getMessage() for record in caplog.records)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to read-only directories")
def test_a_read_only_directory_serves_its_entries(net: Path, cache: Path) -> None:
    assert state(net, cache) == "built"
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert state(net, cache) == "loaded"
        assert state(net, cache, "sim_npu{cores=2}") == "built"
    finally:
        cache.chmod(stat.S_IRWXU)


def test_a_full_disk_leaves_no_damaged_entry(net: Path, cache: Path, tmp_path: Path) -> None:
    """No file may grow beyond a thousand bytes: the system answers as a full disk does."""
    np.save(tmp_path / "x.npy", X)
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    code = CODE.replace("p = lite", limit + "p = lite")
    done = run_apart(code, net, cache, tmp_path)
    assert (done.communicate(timeout=120), done.returncode)[1] == 0
    assert cache.exists()
    assert all(path.stat().st_size <= 1000 for path in entries(cache))
    assert state(net, cache) == "built"
    assert state(net, cache) == "loaded"


def run_apart(code: str, net: Path, cache: Path, tmp_path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", code, str(net), str(cache), str(tmp_path / "x.npy")]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_concurrent_processes_give_equal_results(net: Path, cache: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    racing = [run_apart(CODE, net, cache, tmp_path) for _ in range(2)]
    ended = [process.communicate(timeout=120) for process in racing]
    assert [process.returncode for process in racing] == [0, 0], ended
    results: list[Array] = [np.frombuffer(out, np.float32, 5, len(out) - 20) for out, _ in ended]
    np.testing.assert_array_equal(results[0], results[1])
    assert state(net, cache) == "loaded"
