"""C source of a device: compiled once, kept for its user, run, and never taken from a file."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from lite import trusted_folder
from lite.errors import CompileError, ExecutionError
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin import code_signature
from lite.plugin.device import CSource, c_objects, machine_code
from lite.plugin.device.c_source import MAGIC

CODE = """
int half(const void *const *inputs, void *const *outputs, const void *weights, void *workspace)
{
    const float *x = inputs[0], *w = weights;
    float *y = outputs[0], *t = workspace;
    if (x[0] < 0.0f) return 7;
    for (int i = 0; i < 4; i++) t[i] = x[i] * w[i];
    for (int i = 0; i < 4; i++) y[i] = t[i] + 1.0f;
    return ((unsigned long)weights | (unsigned long)workspace) % 64 ? 8 : 0;
}
"""
X = np.arange(4, dtype=np.float32)
WEIGHTS = np.array([1, 2, 3, 4], np.float32)
FOUR = Meta(DType.FLOAT32, (4,))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for machine code, and no linked libraries."""
    monkeypatch.setattr(machine_code, "private_folder", lambda: tmp_path / "own")
    monkeypatch.setattr(c_objects, "_linked", {})
    return tmp_path / "own" / c_objects.FOLDER


def source(code: str = CODE, weights: bytes = WEIGHTS.tobytes()) -> CSource:
    return CSource("half", code, [FOUR], [FOUR], weights=weights, workspace_bytes=16)


def forget(monkeypatch: pytest.MonkeyPatch, *, compiler: bool = True) -> None:
    """As in a fresh process, and without a compiler."""
    monkeypatch.setattr(c_objects, "_linked", {})
    if not compiler:
        monkeypatch.setenv("CC", "no-such-compiler")


def test_it_runs_with_its_weights_and_workspace() -> None:
    model, y = source(), np.empty(4, np.float32)

    (written,), (made,) = model.run([X], [y]), model.run([X], [None])

    assert written is y
    np.testing.assert_array_equal(y, X * WEIGHTS + 1)
    np.testing.assert_array_equal(made, y)
    assert model.files() == {"region.c": CODE.encode(), "weights.bin": WEIGHTS.tobytes()}


def test_a_status_other_than_0_is_a_failure_of_the_device() -> None:
    with pytest.raises(ExecutionError, match="half returned 7"):
        source().run([-X - 1], [None])


def test_arrays_of_another_shape_or_type_are_refused() -> None:
    for wrong in (X[:3], X.astype(np.float64)):
        with pytest.raises(ExecutionError, match=r"half takes float32\[4\], got"):
            source().run([wrong], [None])


def test_the_same_source_is_compiled_once(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    blob = source().serialize()
    forget(monkeypatch, compiler=False)

    again, stored = source(), CSource.stored(blob)

    np.testing.assert_array_equal(again.run([X], [None])[0], X * WEIGHTS + 1)
    np.testing.assert_array_equal(stored.run([X], [None])[0], X * WEIGHTS + 1)
    assert stored.serialize() == blob
    (kept,) = folder.iterdir()
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", ["code", "weights", "workspace", "flags", "shape"])
def test_a_stored_source_that_this_user_did_not_compile_is_not_run(change: str) -> None:
    blob = source().serialize()
    start = len(MAGIC) + 8
    size = int.from_bytes(blob[len(MAGIC) : start], "little")
    facts, weights = json.loads(blob[start : start + size]), bytearray(blob[start + size :])
    if change == "code":
        facts["code"] = facts["code"].replace("+ 1.0f", "+ 2.0f")
    elif change == "weights":
        weights[0] ^= 1
    elif change == "workspace":
        facts["workspace_bytes"] = 0
    elif change == "flags":
        facts["flags"] = ["-O0"]
    else:
        facts["outputs"] = [["float32", [1]]]
    text = json.dumps(facts).encode()

    with pytest.raises(CompileError, match="was not compiled by this user"):
        CSource.stored(MAGIC + len(text).to_bytes(8, "little") + text + weights)


def test_damaged_bytes_are_refused() -> None:
    blob = source().serialize()
    rng = np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(blob[: rng.integers(len(MAGIC), len(blob))])
        for place in rng.integers(0, len(changed), 3):
            changed[place] = rng.integers(256)
        if bytes(changed) != blob:
            with pytest.raises(CompileError):
                CSource.stored(bytes(changed))


def test_machine_code_that_others_may_write_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    blob = source().serialize()
    (kept,) = folder.iterdir()
    for spoil in (
        lambda: kept.write_bytes(kept.read_bytes()[:-1]),
        lambda: os.chmod(kept, 0o666),
        lambda: os.chmod(folder, 0o777),
    ):
        spoil()
        forget(monkeypatch)
        with pytest.raises(CompileError, match="was not compiled by this user"):
            CSource.stored(blob)
        os.chmod(folder, 0o700)
        source()
        forget(monkeypatch)
        assert CSource.stored(blob).run([X], [None])


def test_machine_code_of_another_secret_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """Code that another user made for the same source, checksum included, and that was copied here."""
    blob = source().serialize()
    (kept,) = folder.iterdir()
    monkeypatch.setattr(code_signature, "_secret", lambda: b"another user's")
    kept.write_bytes(code_signature.signed(kept.name, b"planted"))
    monkeypatch.undo()
    monkeypatch.setattr(machine_code, "private_folder", lambda: folder.parent)
    forget(monkeypatch)

    with pytest.raises(CompileError, match="was not compiled by this user"):
        CSource.stored(blob)


def test_code_is_not_linked_from_a_folder_where_others_may_exchange_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o777)
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(public))
    monkeypatch.setattr(trusted_folder, "private_folder", lambda: tmp_path / "own")
    linked: list[Path] = []
    load = ctypes.CDLL

    def noted(path: str) -> ctypes.CDLL:
        linked.append(Path(path))
        return load(path)

    monkeypatch.setattr(ctypes, "CDLL", noted)
    source()

    assert [path.is_relative_to(tmp_path / "own") for path in linked] == [True]


def test_without_a_compiler_the_reason_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")

    with pytest.raises(CompileError, match="there is no C compiler"):
        source()


def test_the_messages_of_the_compiler_are_in_the_error() -> None:
    with pytest.raises(CompileError, match=r"(?s)status 1:.*region\.c:2"):
        source("int half(void)\n{ wrong }\n")


def test_a_missing_function_is_named() -> None:
    with pytest.raises(CompileError, match="no function 'half'"):
        source("int other(void) { return 0; }\n")


def test_open_shapes_are_refused() -> None:
    with pytest.raises(CompileError, match="static shapes"):
        CSource("half", CODE, [Meta(DType.FLOAT32, ("n",))], [FOUR])
