"""A chip with a local memory gets regions whose tensors fit in it; the report says why they are split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from lite.ir.types import DType
from tests.support.small_programs import make_program

KIB = 1024


def chain() -> Program:
    """Eight elementwise ops on 4 KiB each; the fifth adds the first's output."""
    names = ["x", *(f"v{n}" for n in range(8))]
    ops = [
        ("relu", {"X": [names[n]]}, {"Out": [names[n + 1]]}, {})
        if n != 4
        else ("elementwise_add", {"X": [names[n]], "Y": ["v0"]}, {"Out": [names[n + 1]]}, {"axis": -1})
        for n in range(8)
    ]
    return make_program({"x": (DType.FLOAT32, (1, 1024))}, {}, ops, [names[-1]])


@pytest.mark.parametrize(("size", "regions"), [(12, 1), (8, 2)])
def test_regions_are_split_where_the_tensors_do_not_fit(tmp_path: Path, size: int, regions: int) -> None:
    lite.save_program(chain(), tmp_path)
    x = np.random.default_rng(0).standard_normal((1, 1024)).astype(np.float32)
    chip = f"sim_npu{{local_bytes={size * KIB}}}"
    predictor = lite.create_predictor(lite.Config(tmp_path, devices=[chip], fallback="error"))
    np.testing.assert_array_equal(
        predictor.run({"x": x})["v7"], lite.create_predictor(lite.Config(tmp_path)).run({"x": x})["v7"]
    )
    report = predictor.report()
    assert len(report.regions) == regions
    sentence = (
        "sim_npu: a region of 8 ops is split into 3: it has 12,288 bytes of tensors at one time, more than "
        "the 8,192 of local memory"
    )
    assert report.split == ([] if regions == 1 else [sentence])
    assert (f"split: {sentence}" in str(report)) == (regions > 1)
    added = next(op for op in report.ops if op.type == "elementwise_add")
    reasons = (
        {}
        if regions == 1
        else {
            "sim_npu": "alone it has 12,288 bytes of tensors at one time, more than the 8,192 of local memory"
        }
    )
    assert added.why_not == reasons
