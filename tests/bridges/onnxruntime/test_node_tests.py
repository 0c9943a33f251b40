"""ONNX's node tests on the device and in files that the writer made: right, or declined."""

from __future__ import annotations

import functools
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

TOLERANCE, NARROW_TOLERANCE = 1e-3, 2e-2
"""Largest difference relative to the largest value, also for element types of 16 and 8 bits."""

ON_DEVICE, IN_FILES = 1375, 1375
"""How many of the 1 829 tests of onnx 1.23.2 run on the device only, and how many are written as files."""


@functools.cache
def cases() -> Sequence[Any]:
    """The tests that the host passes: devices and files are tested with those only."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases are computed by code that warns
        collected = collect_testcases(None)
    return [case for case in collected if is_plain(case.model) and host_passes(case)]


def feeds(case: Any, inputs: Sequence[Any]) -> dict[str, Array]:
    names = [value.name for value in case.model.graph.input]
    return dict(zip(names, (expected(value) for value in inputs), strict=False))


def is_close(result: Array, reference: Array) -> bool:
    if result.shape != reference.shape or result.dtype != reference.dtype:
        return False
    if reference.dtype.kind in "biuOUS":
        return bool(result.astype(str).tolist() == reference.astype(str).tolist())
    a, b = result.astype(np.complex128), reference.astype(np.complex128)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return False
    tolerance = TOLERANCE if reference.dtype.itemsize >= 4 else NARROW_TOLERANCE
    worst = np.abs(a[finite] - b[finite]).max(initial=0)
    return bool(worst <= tolerance * np.abs(b[finite]).max(initial=0) + 1e-7)


def are_close(results: Sequence[Any], outputs: Sequence[Any]) -> bool:
    return all(is_close(np.asarray(a), expected(b)) for a, b in zip(results, outputs, strict=True))


def host_passes(case: Any) -> bool:
    try:
        predictor = lite.create_predictor(lite.Config(model_buffer=case.model.SerializeToString()))
        return all(
            are_close(list(predictor.run(inputs_of(predictor, feeds(case, inputs))).values()), outputs)
            for inputs, outputs in case.data_sets
        )
    except LiteError:
        return False


def inputs_of(predictor: lite.Predictor, arrays: dict[str, Array]) -> dict[str, Array]:
    return {name: arrays[name] for name in predictor.input_names if name in arrays}


def on_device(case: Any) -> str:
    config = lite.Config(
        model_buffer=case.model.SerializeToString(),
        devices=["onnxruntime"],
        fallback="error",
        min_subgraph_ops=1,
    )
    predictor = lite.create_predictor(config)
    for inputs, outputs in case.data_sets:
        if not are_close(list(predictor.run(inputs_of(predictor, feeds(case, inputs))).values()), outputs):
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
    except Exception as error:  # noqa: BLE001 - any exception means the same
        return "no kernel" if "NOT_IMPLEMENTED" in str(error) else f"cannot be loaded: {case.name}: {error}"
    names = {port.name for port in session.get_inputs()}
    for inputs, outputs in case.data_sets:
        arrays = {name: array for name, array in feeds(case, inputs).items() if name in names}
        if any(array.dtype.name in _NOT_IN_PYTHON for array in (*arrays.values(), *map(expected, outputs))):
            return "no arrays of this type"
        if not are_close(session.run(None, arrays), outputs):
            return f"wrong: {case.name}"
    return "written"


_NOT_IN_PYTHON = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""Element types that ONNX Runtime's Python interface has no arrays of."""


def test_node_tests_are_right_on_the_device() -> None:
    ONNXRUNTIME.open()
    outcomes = Counter(on_device(case) for case in cases())

    assert {key for key in outcomes if key.startswith("wrong")} == set()
    if onnx.__version__.startswith("1.23."):
        assert outcomes["device"] >= ON_DEVICE


def test_node_tests_are_right_in_files(tmp_path: Path) -> None:
    ONNXRUNTIME.open()
    outcomes = Counter(in_file(case, tmp_path / "model.onnx") for case in cases())

    assert {key for key in outcomes if key.startswith(("wrong", "cannot"))} == set()
    if onnx.__version__.startswith("1.23."):
        assert outcomes["written"] >= IN_FILES
