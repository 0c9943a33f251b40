"""StableHLO as text: types, constants, attributes and the body of a reduction."""

from __future__ import annotations

import numpy as np
import pytest

from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.text import mlir_text
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.ops.view import Meta

MODULE = """\
module @region {
func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2xf32>) {
%1 = "stablehlo.constant"() {value = dense<0x00000000> : tensor<f32>} : () -> tensor<f32>
%2 = "stablehlo.reduce"(%arg0, %1) ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
%z = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>)
"func.return"(%2) : (tensor<2xf32>) -> ()
}
}
"""


def test_a_module_has_its_operations_in_order() -> None:
    builder = Builder()
    x = builder.input("x", Meta(DType.FLOAT32, (2, 3)))
    builder.output("y", builder.reduce("add", x, [1], keep=False))

    assert mlir_text(builder.graph) == MODULE


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([1, 1], np.float32), "dense<0x3F800000> : tensor<2xf32>"),
        (np.float32(-np.inf), "dense<0xFF800000> : tensor<f32>"),
        (np.array([0.0, -0.0], np.float32), 'dense<"0x0000000000000080"> : tensor<2xf32>'),
        (np.array([1, 2], np.int16), 'dense<"0x01000200"> : tensor<2xi16>'),
        (np.array([7], np.uint8), "dense<7> : tensor<1xui8>"),
        (np.array([[True, False]]), "dense<[[true, false]]> : tensor<1x2xi1>"),
        (np.array([True, True]), "dense<true> : tensor<2xi1>"),
    ],
)
def test_a_constant_has_all_its_bits(array: Array, text: str) -> None:
    builder = Builder()
    builder.output("y", builder.array(np.asarray(array)))

    assert text in mlir_text(builder.graph)


def test_a_constant_view_is_written_in_the_order_of_its_axes() -> None:
    builder = Builder()
    builder.output("y", builder.array(np.array([[1, 2], [3, 4]], np.uint8).T))

    assert 'dense<"0x01030204"> : tensor<2x2xui8>' in mlir_text(builder.graph)


def test_padding_is_a_matrix_of_pairs() -> None:
    builder = Builder()
    x = builder.input("x", Meta(DType.FLOAT32, (1, 4)))
    builder.output("y", builder.window("maximum", x, [1, 3], [1, 1], [(0, 0), (1, 1)]))

    assert "padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>" in mlir_text(builder.graph)


def test_an_input_of_unknown_size_is_an_error() -> None:
    with pytest.raises(CompileError, match=r"input x is float32\[N\]: a StableHLO function has fixed sizes"):
        Builder().input("x", Meta(DType.FLOAT32, ("N",)))
