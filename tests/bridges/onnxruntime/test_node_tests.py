"""ONNX's own node tests: right on the device where it takes them, and in files where they are written."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import lite
from lite.errors import LiteError, ModelParseError
from lite.io.save import export_program
from lite.ir.types import Array
from lite.plugin.format import ModelSource
from tests.bridges.devices import ONNXRUNTIME
from tests.suite.test_onnx_nodes import expected, is_plain

pytestmark = pytest.mark.slow

TOLERANCE, HALF = 1e-3, 2e-2
"""Largest difference relative to the largest value; that of types of 16 and 8 bits."""

ON_DEVICE, IN_FILES = 1375, 1375
"""How many of the 1 829 tests of onnx 1.23.2 run wholly on the device, and how many come out as files."""


def cases() -> list[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases are computed by code that warns
        return [case for case in collect_testcases(None) if is_plain(case.model)]


def fed(case: Any, inputs: Sequence[Any]) -> dict[str, Array]:
    names = [value.name for value in case.model.graph.input]
    return dict(zip(names, (expected(value) for value in inputs), strict=False))


def close(have: Array, want: Array) -> bool:
    if have.shape != want.shape or have.dtype != want.dtype:
        return False
    if want.dtype.kind in "biuOUS":
        return bool(have.astype(str).tolist() == want.astype(str).tolist())
    a, b = have.astype(np.complex128), want.astype(np.complex128)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return False
    tolerance = TOLERANCE if want.dtype.itemsize >= 4 else HALF
    worst = np.abs(a[finite] - b[finite]).max(initial=0)
    return bool(worst <= tolerance * np.abs(b[finite]).max(initial=0) + 1e-7)


def right(have: Sequence[Any], outputs: Sequence[Any]) -> bool:
    return all(close(np.asarray(a), expected(b)) for a, b in zip(have, outputs, strict=True))


def host_is_right(case: Any) -> bool:
    """Whether the host passes the test: what it does not is no matter of the device."""
    try:
        predictor = lite.create_predictor(lite.Config(model_buffer=case.model.SerializeToString()))
        return all(
            right(list(predictor.run(taken(predictor, fed(case, inputs))).values()), outputs)
            for inputs, outputs in case.data_sets
        )
    except LiteError:
        return False


def taken(predictor: lite.Predictor, given: dict[str, Array]) -> dict[str, Array]:
    return {name: given[name] for name in predictor.input_names if name in given}


def on_device(case: Any) -> str:
    config = lite.Config(
        model_buffer=case.model.SerializeToString(),
        devices=["onnxruntime"],
        fallback="error",
        min_subgraph_ops=1,
    )
    predictor = lite.create_predictor(config)
    for inputs, outputs in case.data_sets:
        if not right(list(predictor.run(taken(predictor, fed(case, inputs))).values()), outputs):
            return f"wrong: {case.name}"
    places = {op["placed_on"] for op in predictor.report().to_dict()["ops"]}
    return "device" if places == {"onnxruntime"} else "host too"


def in_file(case: Any, path: Path) -> str:
    program = lite.load_program(ModelSource(model=case.model.SerializeToString()))
    try:
        export_program(program, path)
    except ModelParseError:
        return "declined"
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - whatever it throws says the same
        return "no kernel" if "NOT_IMPLEMENTED" in str(error) else f"cannot be loaded: {case.name}: {error}"
    names = {port.name for port in session.get_inputs()}
    for inputs, outputs in case.data_sets:
        given = {name: array for name, array in fed(case, inputs).items() if name in names}
        if any(array.dtype.name in _NOT_TAKEN for array in (*given.values(), *map(expected, outputs))):
            return "no arrays of this type"
        if not right(session.run(None, given), outputs):
            return f"wrong: {case.name}"
    return "written"


_NOT_TAKEN = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""Types whose arrays ONNX Runtime's Python interface does not take or give."""


def test_on_the_device() -> None:
    ONNXRUNTIME.open()
    found = Counter(on_device(case) for case in cases() if host_is_right(case))

    assert {key for key in found if key.startswith("wrong")} == set()
    if onnx.__version__.startswith("1.23."):
        assert found["device"] >= ON_DEVICE


def test_in_files(tmp_path: Path) -> None:
    ONNXRUNTIME.open()
    found = Counter(in_file(case, tmp_path / "model.onnx") for case in cases() if host_is_right(case))

    assert {key for key in found if key.startswith(("wrong", "cannot"))} == set()
    if onnx.__version__.startswith("1.23."):
        assert found["written"] >= IN_FILES
