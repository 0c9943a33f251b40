"""Models that are kept: the same after loading, in another process too; damaged ones are built anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from lite.cache import CacheDirectory
from lite.errors import LiteError
from lite.plugin.boundary import at_boundary
from lite.session.predictor import Predictor
from lite.tools.conformance.compiled import compiled_model
from lite.tools.conformance.probe import image
from lite.tools.conformance.quiet import quiet
from lite.tools.conformance.workbench import PASSED, Answer, Workbench, differences, judged

KEEPS_NONE = "the device keeps no compiled models (CompiledModel.serialize)"
UNKNOWN_THERE = 4
"""Exit status of the other process when it does not find the device."""

ELSEWHERE = """
import sys
model, device, cache, *sys.path = sys.argv[1:]
import lite
if device.partition("{")[0] not in {found.name for found in lite.list_devices()}:
    sys.exit(4)
config = lite.Config(model, devices=[device], cache_dir=cache, fallback="error", min_subgraph_ops=1)
predictor = lite.create_predictor(config)
predictor.prepare({})
print(*dict.fromkeys(region.state for region in predictor.report().regions))
"""


def questions(bench: Workbench, folder: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``cache``."""
    return {
        "a kept model is loaded, and equal": lambda: _loaded(bench, folder / "kept"),
        "in another process too": lambda: _elsewhere(bench, folder / "elsewhere"),
        "a flipped byte": lambda: _damaged(bench, folder / "flipped", _flipped),
        "a file cut short": lambda: _damaged(bench, folder / "cut", lambda data: data[: len(data) // 2]),
        "an empty file": lambda: _damaged(bench, folder / "empty", lambda _: b""),
        "the loader refuses what is no model": lambda: _garbage(bench),
    }


def _loaded(bench: Workbench, cache: Path) -> Answer:
    x = {"x": image(1)}
    want = bench.on_host(bench.model, x)
    for wanted in ("built", "loaded"):
        predictor = bench.predictor(bench.model, cache_dir=cache)
        problem = differences(predictor.run(x), want)
        if problem:
            return "wrong", f"{wanted}: {problem}"
        if not _kept(cache):
            return "declined", KEEPS_NONE
        states = _states(predictor)
        if states != wanted:
            return "wrong", f"the model was {states}, expected {wanted}: {predictor.explain_cache()}"
    return PASSED


def _elsewhere(bench: Workbench, cache: Path) -> Answer:
    bench.predictor(bench.model, cache_dir=cache).prepare({})
    if not _kept(cache):
        return "declined", KEEPS_NONE
    command = [sys.executable, "-c", ELSEWHERE, str(bench.model), bench.text, str(cache), *sys.path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == UNKNOWN_THERE:
        return "declined", "another process does not find the device: nothing installed registers it"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return "wrong", f"loading it there failed: {last[0]}"
    state = done.stdout.strip()
    return judged("" if state == "loaded" else f"the model was {state} there, expected loaded")


def _damaged(bench: Workbench, cache: Path, damage: Callable[[bytes], bytes]) -> Answer:
    x = {"x": image(2)}
    bench.predictor(bench.model, cache_dir=cache).prepare({})
    for path in _kept(cache):
        path.write_bytes(damage(path.read_bytes()))
    if not _kept(cache):
        return "declined", KEEPS_NONE
    with quiet():
        predictor = bench.predictor(bench.model, cache_dir=cache)
        problem = differences(predictor.run(x), bench.on_host(bench.model, x))
    states = _states(predictor)
    if not problem and states != "built":
        problem = f"the model was {states}, expected built anew"
    return judged(problem)


def _garbage(bench: Workbench) -> Answer:
    _, model, _ = compiled_model(bench)
    blob = at_boundary(bench.name, "serialising a model", model.serialize)
    if blob is None:
        return "declined", KEEPS_NONE
    for what, data in (
        ("no bytes", b""),
        ("other bytes", b"not a model"),
        ("half a model", blob[: len(blob) // 2]),
    ):
        if not _refuses(bench, data):
            return "wrong", f"load takes {what}; expected CompileError"
    return PASSED


def _refuses(bench: Workbench, data: bytes) -> bool:
    device = bench.open()
    try:
        at_boundary(bench.name, "loading a kept model", lambda: device.load(data))
    except LiteError:
        return True
    return False


def _states(predictor: Predictor) -> str:
    """How the model runs: in one word, unless its regions differ."""
    return " and ".join(dict.fromkeys(region.state for region in predictor.report().regions))


def _kept(cache: Path) -> list[Path]:
    return [entry.path for entry in CacheDirectory(cache).entries()]


def _flipped(data: bytes) -> bytes:
    middle = len(data) * 3 // 4
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
