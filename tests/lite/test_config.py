"""Config: contradictions, places and the location of the model."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest

import lite


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "name the model by exactly one of .*; got none"),
        ({"model_dir": "a", "model_buffer": b""}, "; got model_dir, model_buffer"),
        ({"model_dir": "a", "params_file": "b"}, "params_file needs model_file"),
        ({"model_file": "a", "params_buffer": b""}, "params_buffer needs model_buffer"),
        ({"model_dir": "a", "threads": 0}, "threads: expected 1 or more, got 0"),
        (
            {"model_dir": "a", "memory": "compct"},
            "memory: expected one of .*, got 'compct'; did you mean 'compact'",
        ),
        ({"model_dir": "a", "precision": "loose"}, "precision: expected one of default, strict, got 'loose'"),
        (
            {"model_dir": "a", "passes": "conv_bn_fuse_pass"},
            "passes: expected a list of names, got the string",
        ),
    ],
)
def test_contradictions_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(lite.ConfigError, match=message):
        lite.Config(**arguments)


def test_the_host_is_added_at_the_end_of_the_places_if_it_is_missing() -> None:
    assert [str(place) for place in lite.Config("m", valid_places=[]).places] == ["host/any/any"]
    config = lite.Config("m", valid_places=["npu", lite.Place("gpu", lite.DType.FLOAT16)])
    assert [str(place) for place in config.places] == ["npu/any/any", "gpu/float16/any", "host/any/any"]
    assert lite.Config("m", valid_places=["host", "gpu"]).places[-1].target == "gpu"


def test_compiled_kernels_come_first_where_numba_is_installed(root: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(sys.argv[1:])); import lite; "
        "print(*lite.Config('m').places, 'numba' in sys.modules and sys.modules['numba'] is not None)"
    )

    def places(*hidden: str) -> list[str]:
        command = [sys.executable, "-c", code, *hidden]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split()

    assert places("numba") == ["host/any/any", "False"]
    if importlib.util.find_spec("numba") is not None:
        assert places() == ["cpu/any/any", "host/any/any", "False"]


def test_the_source_holds_the_paths_or_bytes_of_the_model() -> None:
    assert lite.Config("m").source.path == Path("m")
    both = lite.Config(model_file="m", params_file="p").source
    assert (both.path, both.params_path) == (Path("m"), Path("p"))
    buffers = lite.Config(model_buffer=b"m", params_buffer=b"p").source
    assert (buffers.model, buffers.params) == (b"m", b"p")
    message = onnx.ModelProto(ir_version=9, producer_name="me")
    assert lite.Config(model_buffer=message).source.model == message.SerializeToString()


@pytest.mark.parametrize(
    "field", ["model_dir", "model_file", "params_file", "cache_dir", "dot_dir", "plan", "recipe"]
)
@pytest.mark.parametrize(
    "path", ["a\0b", "\ud800", "a" * 300, "folder/" + "a" * 300], ids=["null", "surrogate", "long", "inner"]
)
def test_what_no_file_can_be_called_is_refused(field: str, path: str) -> None:
    model = {} if field.startswith("model") else {"model_file": "m"}
    with pytest.raises(lite.ConfigError, match=f"{field}: .*(is not a path|names of at most 255 bytes)"):
        lite.Config(**{**model, field: path})  # type: ignore[arg-type]
