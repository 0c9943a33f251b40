"""Whole models: inferred shapes, unsupported ops and domains, and names."""

from __future__ import annotations

import onnx
import pytest
from onnx import parser

import lite
from lite.errors import ModelParseError
from lite.ir.program import Program


def load(text: str, opset: str = '"" : 17') -> Program:
    model = parser.parse_model(f"<ir_version: 8, opset_import: [{opset}]> {text}")
    return load_model(model)


def load_model(model: onnx.ModelProto) -> Program:
    return lite.load_program(lite.Config(model_buffer=model.SerializeToString()))


def test_all_unsupported_ops_are_listed_at_once() -> None:
    text = """g (float[2] x, bool c) => (float[2] y) {
        a = com.acme.Foo(x) b = com.acme.Foo(a) d = Frobnicate(b) e = org.acme.Zip(d)
        f = If(c) <then_branch = t () => (float[2] r) { r = com.acme.Foo(e) },
                   else_branch = o () => (float[2] r) { r = Convv(e) }>
        y = Relu(f)
    }"""
    with pytest.raises(ModelParseError) as caught:
        load(text, '"" : 17, "com.acme" : 3, "ai.onnx.ml" : 2')

    assert str(caught.value).partition("bytes: ")[2] == (
        "4 ONNX op types are not supported: Convv (1x, did you mean 'Conv'), "
        "Frobnicate (1x, did you mean 'Concat'), com.acme.Foo (3x), org.acme.Zip (1x); "
        "write an op yourself by @lite.op(…, onnx=…), or from other ops by @lite.onnx_op "
        "(docs/guide/custom_ops.md)"
    )


def test_a_layout_of_one_processor_is_refused() -> None:
    text = """g (float[1, 16, 4, 4] x) => (float[1, 16, 4, 4] y) {
        a = com.microsoft.nchwc.ReorderInput(x) y = com.microsoft.nchwc.ReorderOutput <channels = 16> (a)
    }"""
    with pytest.raises(
        ModelParseError, match=r"2 ops, such as com\.microsoft\.nchwc\.ReorderInput, have.*EXTENDED"
    ):
        load(text, '"" : 17, "com.microsoft.nchwc" : 1')


def test_an_unused_domain_is_accepted() -> None:
    assert load("g (float[2] x) => (float[2] y) { y = Relu(x) }", '"" : 17, "com.acme" : 3').blocks[0].ops


def test_shapes_are_inferred() -> None:
    program = load(
        """g (float[n, 3, 8, 8] x) => (float[n, k] y) <float[4, 3, 3, 3] w = {1}>
        { c = Conv(x, w) f = Flatten <axis = 1> (c) y = Relu(f) }""".replace(
            "{1}", f"{{{', '.join(['1'] * 108)}}}"
        )
    )

    variables = program.blocks[0].vars
    assert variables["c"].shape == ("n", 4, 6, 6)
    assert variables["y"].shape == ("n", 144)


def test_inferred_sizes_replace_declared_ones() -> None:
    program = load("g (float[2, 3] x) => (float[5, 3] y) { y = Relu(x) }")

    assert program.blocks[0].vars["y"].shape == (2, 3)
