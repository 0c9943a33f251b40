"""Tensors of regions: copies between host and device, and values that stay in the device's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.plugin.device import Limits
from tests.lite.runtime.regions.on_fake import AFFINE, X, check_affine, fake_predictor
from tests.support.fake_device import FakeMemory, fake_device
from tests.support.log_records import warnings_in
from tests.support.small_programs import affine_reference, make_program


@pytest.fixture
def selecting(tmp_path: Path) -> Path:
    """The elements above zero, and x in another shape."""
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {"zero": np.zeros(1, np.float32)},
        [
            ("greater_than", {"X": ["x"], "Y": ["zero"]}, {"Out": ["mask"]}, {"axis": -1}),
            ("where_index", {"Condition": ["mask"]}, {"Out": ["where"]}, {}),
            ("reshape2", {"X": ["x"]}, {"Out": ["flat"]}, {"shape": [-1]}),
        ],
        ["where", "flat"],
    )
    lite.save_program(program, tmp_path / "selecting")
    return tmp_path / "selecting"


SELECTING = ("greater_than", "where_index", "reshape2")


@pytest.mark.parametrize("fallback", ["warn", "error"])
def test_values_of_data_dependent_shape_are_refused_in_the_devices_memory(
    selecting: Path, caplog: pytest.LogCaptureFixture, fallback: str
) -> None:
    with fake_device(*SELECTING) as faults:
        faults.memory = FakeMemory()
        predictor = fake_predictor(selecting, fallback=fallback)
        if fallback == "error":
            for _ in range(2):
                with pytest.raises(CompileError, match=r"'where'.*depends on data"):
                    predictor.run([X])
            return
        for _ in range(2):
            np.testing.assert_array_equal(predictor.run([X])["where"], np.argwhere(X > 0))
    assert faults.compiled == 0
    assert len(warnings_in(caplog)) == 1


def test_an_input_that_the_device_returns_is_copied(selecting: Path) -> None:
    x = X.copy()
    with fake_device(*SELECTING):
        flat = fake_predictor(selecting, fallback="error").run([x])["flat"]
    assert not np.may_share_memory(flat, x)
    np.testing.assert_array_equal(flat, X.reshape(-1))


def test_none_in_place_of_a_result_is_a_failure(selecting: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*SELECTING) as faults:
        faults.result = lambda _: None
        predictor = fake_predictor(selecting)
        np.testing.assert_array_equal(predictor.run([X])["where"], np.argwhere(X > 0))
    [warning] = warnings_in(caplog)
    assert "the device returned None for output" in warning


def test_a_tensor_lost_in_the_devices_memory_is_computed_on_the_host(
    model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Losing(FakeMemory):
        def copy_out(self, handle: Any, array: Array) -> None:
            raise ConnectionError("the card was pulled out")

    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = Losing()
        predictor = fake_predictor(model, min_subgraph_ops=1)
        for _ in range(2):
            check_affine(predictor)
        report = predictor.report()
    assert {region.state for region in report.regions} == {"host"}
    [warning] = warnings_in(caplog)
    assert "the card was pulled out" in warning
    assert report.fallbacks == {"fake": 4}


def test_values_between_regions_of_one_device_stay_in_its_memory(model: Path) -> None:
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = FakeMemory()
        predictor = fake_predictor(model, min_subgraph_ops=1, fallback="error")
        for _ in range(2):
            np.testing.assert_array_equal(predictor.run([X])["twice"], 2 * affine_reference(X))
        assert len(predictor.report().regions) == 4
    # In each run: x is copied in, y and twice are copied out, and y is copied in for the last region.
    assert (len(faults.memory.copied_in), len(faults.memory.copied_out)) == (4, 4)


def test_a_region_on_the_host_reads_what_lies_on_the_device(model: Path) -> None:
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = FakeMemory()
        faults.run = 3
        predictor = fake_predictor(model, min_subgraph_ops=1)
        for _ in range(2):
            np.testing.assert_array_equal(predictor.run([X])["twice"], 2 * affine_reference(X))
        assert predictor.observe(lambda _: None, [X])["y"].tolist() == affine_reference(X).tolist()


def test_arrays_have_the_alignment_that_the_device_requires(model: Path) -> None:
    odd = np.zeros(4 * X.size + 4, np.uint8)[4:].view(np.float32).reshape(X.shape)
    odd[...] = X
    with fake_device(*AFFINE, limits=Limits(alignment=64)) as faults:
        predictor = fake_predictor(model, fallback="error")
        for x in (odd, np.asfortranarray(X), X):
            np.testing.assert_array_equal(predictor.run([x])["y"], affine_reference(X))
            [array] = faults.inputs
            assert array.flags.c_contiguous
            assert array.ctypes.data % 64 == 0
