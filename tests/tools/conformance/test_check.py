"""The op cases pass on the host and cover the ops, and a wrong output is reported."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import lite
from lite.ir.types import Array
from lite.ops import SCHEMAS
from lite.tools.conformance import Case, Operand, check, read_cases
from lite.tools.conformance.cases import write_cases


def relu_case() -> Case:
    x = np.array([-1, 2], np.float32)
    return Case("relu", "relu", {}, {"X": [Operand(x)]}, {"Out": [Operand(np.maximum(x, 0))]})


def problem_of(case: Case) -> str:
    (verdict,) = check([case])
    return verdict.wrong


def test_every_case_passes_on_the_host() -> None:
    cases = read_cases()
    assert len(cases) > 1000
    assert [(v.case.name, v.wrong) for v in check(cases) if not v.ok] == []


TESTED_ELSEWHERE = {
    "attention",
    "cache_append",
    "causal_conv",
    "center_crop_pad",
    "col2im",
    "conv3d",
    "conv3d_transpose",
    "conv_integer",
    "depth_to_space",
    "detection_postprocess",
    "dft",
    "fmod",
    "grid_sample",
    "gru_sequence",
    "integer_matmul",
    "label_encoder",
    "linear_attention",
    "lp_normalize",
    "lstm_sequence",
    "max_roi_pool",
    "max_unpool",
    "mel_weight_matrix",
    "mfcc",
    "nll_loss",
    "non_max_suppression",
    "pairwise_coupling",
    "pool_nd",
    "projected_lstm",
    "qlinear_conv",
    "regex_full_match",
    "resize",
    "rms_norm",
    "rnn_sequence",
    "roi_align_indexed",
    "rotary_embedding",
    "soft_non_max_suppression",
    "space_to_depth",
    "stack_array",
    "stft",
    "string_concat",
    "string_normalizer",
    "string_split",
    "tf_idf_vectorizer",
    "tokenizer",
    "tree_ensemble",
}
"""Ops of ONNX and TFLite models only: the tests of their parsers and ONNX's node tests check them."""

RECORDED = Path(__file__).resolve().parents[2] / "data"
"""Models of Paddle's functions: ``tests/model_parser/paddle/test_recorded_ops.py`` checks the ops in them."""

MADE_BY_PASSES = {"quantized_group", "quantized_lookup", "stored_fc"}
"""Ops that only passes for the CPU make: ``tests/kernels`` checks them."""


def test_every_op_that_computes_tensors_from_tensors_has_cases(tmp_path: Path) -> None:
    covered = {case.op for case in read_cases()} | _recorded_ops(tmp_path)
    casts = ("calib", "calib_once", "io_copy", "io_copy_once", "layout", "layout_once")
    arrays = ("array", "select_", "uninitialized", "beam_search_decode")
    missing = [
        name
        for name, schema in SCHEMAS.items()
        if not (name in covered or schema.canonical or schema.control_flow or not schema.foldable)
        and name not in casts
        and name not in TESTED_ELSEWHERE | MADE_BY_PASSES
        and not any(word in name for word in arrays)
    ]
    assert missing == []
    assert not TESTED_ELSEWHERE - set(SCHEMAS)


def _recorded_ops(folder: Path) -> set[str]:
    for form in ("pir", "legacy"):
        with tarfile.open(RECORDED / f"paddle_ops_{form}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
    models = [path for path in folder.iterdir() if path.suffix != ".npz"]
    return {op.type for model in models for op in lite.load_program(model).blocks[0].ops}


def test_a_wrong_output_is_described() -> None:
    case = relu_case()
    right = case.outputs["Out"][0].array
    assert problem_of(case) == ""
    wrong: list[tuple[Array, str]] = [
        (
            np.array([0, 3], np.float32),
            "Out_0_out: values differ by up to 1; the largest expected value is 3",
        ),
        (
            np.array([0, np.nan], np.float32),
            "Out_0_out: values differ: NaN or infinities are not where they are expected",
        ),
        (right.astype(np.float64), "Out_0_out: expected float64(2,), got float32(2,)"),
        (right[None], "Out_0_out: expected float32(1, 2), got float32(2,)"),
    ]
    for array, message in wrong:
        assert problem_of(replace(case, outputs={"Out": [Operand(array)]})) == message
    lod = replace(case, outputs={"Out": [Operand(right, ((0, 2),))]})
    assert problem_of(lod) == "Out_0_out: expected the LoD ((0, 2),), got ()"


def test_an_error_of_an_op_is_reported() -> None:
    case = replace(relu_case(), inputs={"X": [Operand(np.array(["a"], object))]})
    assert problem_of(case).startswith("GraphError: ")


def test_written_cases_are_read_unchanged(tmp_path: Path) -> None:
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
    for side, expected in ((read.inputs, case.inputs), (read.outputs, case.outputs)):
        assert list(side) == list(expected)
        for slot, items in expected.items():
            for got, item in zip(side[slot], items, strict=True):
                np.testing.assert_array_equal(got.array, item.array)
                assert (got.array.dtype, got.lod) == (item.array.dtype, item.lod)
