"""Models as shared libraries: the functions of litebridge.h from ctypes and C, alone and several at once."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import threading
from collections.abc import Mapping
from ctypes import CDLL, c_char_p, c_int, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.codegen import export_c
from lite.config import Config
from lite.errors import CompileError
from lite.io.save import save_program
from lite.ir.types import Array
from lite.session.predictor import create_predictor
from tests.support.compiled_c import need
from tests.support.small_convnet import convnet
from tests.support.small_programs import affine

X = np.random.default_rng(0).standard_normal((1, 3, 6, 6)).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network as a library."""
    need("make")
    base = tmp_path_factory.mktemp("shared")
    save_program(convnet(), base / "source")
    export_c(Config(base / "source", input_shapes={"x": X.shape}), base / "net", "shared", "net")
    return base / "net"


def expected(folder: Path, x: Array) -> Mapping[str, Array]:
    return create_predictor(Config(folder.parent / "source")).run({"x": x})


def module(folder: Path) -> Any:
    """The example for ctypes."""
    spec = importlib.util.spec_from_file_location("example", folder / "example.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_ctypes_runs_it(folder: Path) -> None:
    model = module(folder).Model(folder / "libnet.so")

    (result,) = model.run(X)

    np.testing.assert_allclose(result, expected(folder, X)["y"], rtol=1e-5, atol=1e-6)
    assert [(each.name, tuple(each.shape[: each.rank])) for each in model.inputs] == [(b"x", X.shape)]
    library = model.library
    library.lb_metadata.restype = c_char_p
    facts = json.loads(library.lb_metadata())
    assert (facts["name"], library.lb_abi_version()) == ("net", 1)
    assert (library.lb_inputs(), library.lb_outputs()) == (1, 1)
    assert not library.lb_input(1)
    assert not library.lb_output(-1)


def test_a_c_program_runs_it(folder: Path) -> None:
    subprocess.run(["make", "-s", "-C", str(folder), "example", "CC=gcc"], check=True)
    X.tofile(folder / "x.bin")
    subprocess.run(["./example", "./libnet.so", "x.bin", "y.bin"], cwd=folder, check=True)

    y = np.fromfile(folder / "y.bin", np.float32)

    np.testing.assert_allclose(y, expected(folder, X)["y"].reshape(-1), rtol=1e-5, atol=1e-6)
    lines = (folder / "example.c").read_text().splitlines()
    assert len(lines) <= 60


def test_threads_have_models_of_their_own(folder: Path) -> None:
    example = module(folder)
    images = [np.random.default_rng(n).standard_normal(X.shape).astype(np.float32) for n in range(4)]
    wanted = [example.Model(folder / "libnet.so").run(image)[0] for image in images]
    wrong: list[int] = []

    def work(number: int) -> None:
        model = example.Model(folder / "libnet.so")
        for _ in range(50):
            if not np.array_equal(model.run(images[number])[0], wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def test_two_libraries_have_the_same_functions(folder: Path, tmp_path: Path) -> None:
    save_program(affine(), tmp_path / "source")
    config = Config(tmp_path / "source", input_shapes={"x": (2, 4)})
    export_c(config, tmp_path / "other", "shared", "other")
    example = module(folder)
    x = np.ones((2, 4), np.float32)

    net, other = example.Model(folder / "libnet.so"), example.Model(tmp_path / "other" / "libother.so")

    np.testing.assert_allclose(other.run(x)[0], create_predictor(config).run({"x": x})["y"], rtol=1e-6)
    np.testing.assert_allclose(net.run(X)[0], expected(folder, X)["y"], rtol=1e-5, atol=1e-6)


def test_only_the_functions_of_the_header_are_visible(folder: Path) -> None:
    printed = subprocess.run(
        ["nm", "-D", "--defined-only", str(folder / "libnet.so")], capture_output=True, text=True, check=True
    )
    names = {line.split()[-1] for line in printed.stdout.splitlines()}
    assert names == {
        *("lb_abi_version", "lb_load", "lb_run", "lb_free", "lb_inputs", "lb_outputs"),
        *("lb_input", "lb_output", "lb_metadata", "lb_message"),
    }


def test_null_pointers_are_statuses(folder: Path) -> None:
    library = CDLL(str(folder / "libnet.so"))
    library.lb_run.argtypes = [c_void_p] * 3
    library.lb_message.restype = c_char_p
    library.lb_message.argtypes = [c_int]
    library.lb_free(None)

    assert library.lb_message(library.lb_load(None)) == b"a pointer is null"
    assert library.lb_message(library.lb_run(None, None, None)) == b"a pointer is null"


def test_without_a_compiler_nothing_is_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    config = Config(folder.parent / "source", input_shapes={"x": X.shape})

    with pytest.raises(CompileError, match="no-such-compiler is not installed; --target c writes"):
        export_c(config, tmp_path / "none", "shared", "net")

    assert not (tmp_path / "none").exists()
