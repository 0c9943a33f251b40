"""Section ``cache``: compiled models that are stored, loaded again, or damaged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lite.cache import CacheDirectory
from lite.errors import LiteError
from lite.plugin.boundary import at_boundary
from lite.session.predictor import Predictor
from lite.tools.conformance.child import MARK, UNKNOWN_DEVICE, marked_lines
from lite.tools.conformance.compiled_probe import compile_probe
from lite.tools.conformance.device_under_test import (
    PASSED,
    Check,
    DeviceUnderTest,
    Result,
    captured_warnings,
    result_of,
)
from lite.tools.conformance.probe_models import image

NOT_STORED = "the device does not store compiled models: CompiledModel.serialize returns None"

OTHER_PROCESS = f"""
import sys
model, device, cache, *sys.path = sys.argv[1:]
import lite
if device.partition("{{")[0] not in {{info.name for info in lite.list_devices()}}:
    sys.exit({UNKNOWN_DEVICE})
config = lite.Config(model, devices=[device], cache_dir=cache, fallback="error", min_subgraph_ops=1)
predictor = lite.create_predictor(config)
predictor.prepare({{}})
print("{MARK}", *dict.fromkeys(region.state for region in predictor.report().regions))
"""


def checks(device: DeviceUnderTest, folder: Path) -> Mapping[str, Check]:
    """The checks of the section."""
    return {
        "a stored model is loaded and gives the same result": lambda: _loaded(device, folder / "stored"),
        "models compiled together are loaded and give the same results": lambda: _together(
            device, folder / "together"
        ),
        "another process loads the stored model": lambda: _other_process(device, folder / "other_process"),
        "a stored file with a flipped bit is replaced": lambda: _damaged(
            device, folder / "flipped", _with_flipped_bit
        ),
        "a truncated stored file is replaced": lambda: _damaged(
            device, folder / "truncated", lambda data: data[: len(data) // 2]
        ),
        "an empty stored file is replaced": lambda: _damaged(device, folder / "empty", lambda _: b""),
        "load() rejects invalid data": lambda: _invalid_data(device),
    }


def _loaded(device: DeviceUnderTest, cache: Path) -> Result:
    x = {"x": image(1)}
    expected = device.on_host(device.model, x)
    for expected_state in ("built", "loaded"):
        predictor = device.predictor(device.model, cache_dir=cache)
        problem = device.differences(predictor.run(x), expected)
        if problem:
            return "wrong", f"{expected_state} model: {problem}"
        if not _stored_files(cache):
            return "declined", NOT_STORED
        states = _states(predictor)
        if states != expected_state:
            explanation = predictor.explain_cache()
            return "wrong", f"expected the model to be {expected_state}, it was {states}: {explanation}"
    return PASSED


def _together(device: DeviceUnderTest, cache: Path) -> Result:
    if not device.open().shares_weights:
        return "declined", "the device compiles regions one by one: shares_weights is False"
    images = [image(1), np.repeat(image(2), 2, axis=0)]
    for expected_state in ("built", "loaded"):
        predictor = device.predictor(device.open_model, cache_dir=cache)
        predictor.prepare([{"x": each.shape} for each in images])
        for each in images:
            x = {"x": each}
            problem = device.differences(predictor.run(x), device.on_host(device.open_model, x))
            if problem:
                return "wrong", f"{expected_state} models, {len(each)} images: {problem}"
        if not _stored_files(cache):
            return PASSED
        found = {each.state for region in predictor.report().regions for each in region.signatures}
        if found != {expected_state}:
            return (
                "wrong",
                f"expected the models to be {expected_state}, they were {' and '.join(sorted(found))}",
            )
    return PASSED


def _other_process(device: DeviceUnderTest, cache: Path) -> Result:
    device.predictor(device.model, cache_dir=cache).prepare({})
    if not _stored_files(cache):
        return "declined", NOT_STORED
    command = [sys.executable, "-c", OTHER_PROCESS, str(device.model), device.text, str(cache), *sys.path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == UNKNOWN_DEVICE:
        return "declined", "another process does not find the device: no installed package registers it"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return "wrong", f"another process could not load the model: {last[0]}"
    lines = marked_lines(done.stdout)
    state = lines[-1] if lines else "not reported"
    return result_of("" if state == "loaded" else f"expected the model to be loaded, it was {state}")


def _damaged(device: DeviceUnderTest, cache: Path, damage: Callable[[bytes], bytes]) -> Result:
    x = {"x": image(2)}
    device.predictor(device.model, cache_dir=cache).prepare({})
    for path in _stored_files(cache):
        path.write_bytes(damage(path.read_bytes()))
    if not _stored_files(cache):
        return "declined", NOT_STORED
    with captured_warnings():
        predictor = device.predictor(device.model, cache_dir=cache)
        problem = device.differences(predictor.run(x), device.on_host(device.model, x))
    states = _states(predictor)
    if not problem and states != "built":
        problem = f"expected the model to be built again, it was {states}"
    return result_of(problem)


def _invalid_data(device: DeviceUnderTest) -> Result:
    _, model, _ = compile_probe(device)
    blob = at_boundary(device.name, "serialising a model", model.serialize)
    if blob is None:
        return "declined", NOT_STORED
    invalid = {"no bytes": b"", "other bytes": b"not a model", "half a model": blob[: len(blob) // 2]}
    for description, data in invalid.items():
        if not _rejects(device, data):
            return "wrong", f"load() accepted {description}; expected a CompileError"
    return PASSED


def _rejects(device: DeviceUnderTest, data: bytes) -> bool:
    opened = device.open()
    try:
        at_boundary(device.name, "loading a stored model", lambda: opened.load(data))
    except LiteError:
        return True
    return False


def _states(predictor: Predictor) -> str:
    """The states of the regions, each once."""
    return " and ".join(dict.fromkeys(region.state for region in predictor.report().regions))


def _stored_files(cache: Path) -> list[Path]:
    return [entry.path for entry in CacheDirectory(cache).entries()]


def _with_flipped_bit(data: bytes) -> bytes:
    position = len(data) * 3 // 4
    return data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]
