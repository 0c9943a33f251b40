"""The kit passes on the host, covers the ops, and sees what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from lite.ops import SCHEMAS
from lite.tools.conformance import Case, Operand, check, read_cases
from lite.tools.conformance.cases import write_cases


def relu_case() -> Case:
    x = np.array([-1, 2], np.float32)
    return Case("relu", "relu", {}, {"X": [Operand(x)]}, {"Out": [Operand(np.maximum(x, 0))]})


def wrong(case: Case) -> str:
    (verdict,) = check([case])
    return verdict.wrong


def test_every_case_passes_on_the_host() -> None:
    cases = read_cases()
    assert len(cases) > 1000
    assert [(v.case.name, v.wrong) for v in check(cases) if not v.ok] == []


HELD_ELSEWHERE = {
    "attention",
    "causal_conv",
    "center_crop_pad",
    "col2im",
    "conv3d",
    "conv3d_transpose",
    "conv_integer",
    "depth_to_space",
    "dft",
    "fmod",
    "grid_sample",
    "gru_sequence",
    "linear_attention",
    "lp_normalize",
    "lstm_sequence",
    "max_roi_pool",
    "max_unpool",
    "mel_weight_matrix",
    "nll_loss",
    "non_max_suppression",
    "pool_nd",
    "qlinear_conv",
    "regex_full_match",
    "resize",
    "rms_norm",
    "rnn_sequence",
    "roi_align_indexed",
    "rotary_embedding",
    "space_to_depth",
    "stack_array",
    "stft",
    "string_concat",
    "string_normalizer",
    "string_split",
    "tf_idf_vectorizer",
}
"""Ops that only ONNX models have: ``tests/model_parser/onnx`` and ONNX's node tests hold them."""


def test_every_op_that_computes_tensors_from_tensors_has_cases() -> None:
    covered = {case.op for case in read_cases()}
    plumbing = ("calib", "calib_once", "io_copy", "io_copy_once", "layout", "layout_once")
    arrays = ("array", "select_", "uninitialized", "beam_search_decode")
    missing = [
        name
        for name, schema in SCHEMAS.items()
        if not (name in covered or schema.canonical or schema.control_flow or not schema.foldable)
        and name not in plumbing
        and name not in HELD_ELSEWHERE
        and not any(word in name for word in arrays)
    ]
    assert missing == []
    assert not HELD_ELSEWHERE - set(SCHEMAS)


def test_wrong_outputs_are_seen() -> None:
    case = relu_case()
    right = case.outputs["Out"][0].array
    assert wrong(case) == ""
    other: list[tuple[Array, str]] = [
        (np.array([0, 3], np.float32), "Out_0_out: values differ"),
        (np.array([0, np.nan], np.float32), "Out_0_out: values differ"),
        (right.astype(np.float64), "Out_0_out: float32(2,), expected float64(2,)"),
        (right[None], "Out_0_out: float32(2,), expected float32(1, 2)"),
    ]
    for array, message in other:
        assert wrong(replace(case, outputs={"Out": [Operand(array)]})) == message
    lod = replace(case, outputs={"Out": [Operand(right, ((0, 2),))]})
    assert wrong(lod) == "Out_0_out: LoD (), expected ((0, 2),)"


def test_an_op_that_cannot_be_is_a_verdict() -> None:
    case = replace(relu_case(), inputs={"X": [Operand(np.array(["a"], object))]})
    assert wrong(case).startswith("GraphError: ")


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    case = Case(
        "c",
        "concat",
        {"axis": 1, "names": ["a"], "scale": 0.5},
        {"X": [Operand(np.zeros((0, 2), np.int8)), Operand(np.ones((1, 1), bool), ((0, 1),))]},
        {"Out": [Operand(np.array(1.5))]},
    )
    write_cases([case], tmp_path / "one.zip")
    write_cases([case], tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    (read,) = read_cases(tmp_path / "one.zip")
    assert (read.name, read.op, read.attrs) == (case.name, case.op, case.attrs)
    for side, want in ((read.inputs, case.inputs), (read.outputs, case.outputs)):
        assert list(side) == list(want)
        for slot, items in want.items():
            for have, item in zip(side[slot], items, strict=True):
                np.testing.assert_array_equal(have.array, item.array)
                assert (have.array.dtype, have.lod) == (item.array.dtype, item.lod)
