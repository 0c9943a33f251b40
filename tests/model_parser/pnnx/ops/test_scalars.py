"""Models as pnnx writes them without optimisation."""

from __future__ import annotations

import numpy as np

from tests.model_parser.pnnx.models import noise, run


def test_sizes_computed_by_operators() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(1,2,?,3)f32",
        "prim::Constant c 0 1 two value=2.0",
        "prim::Constant n 0 1 none value=None",
        "Tensor.size s 1 1 x h dim=2 $input=x",
        "Tensor.size w 1 1 x w dim=3 $input=x",
        "prim::NumToTensor t 1 1 h t",
        "Tensor.to f 1 1 t g dtype=torch.float $input=t",
        "aten::mul m 2 1 g two p",
        "aten::floor q 1 1 p q",
        "aten::Int r 1 1 q rows",
        "aten::mul v 2 1 w two columns",
        "aten::Int k 1 1 columns wide",
        "prim::ListConstruct l 2 1 rows wide size",
        "F.interpolate u 2 1 x size y mode=nearest $input=x $size=size",
        "pnnx.Output o 1 0 y",
    ]
    for rows in (4, 5):
        x = noise(1, 2, rows, 3)
        np.testing.assert_array_equal(run(lines, [x])[0], x.repeat(2, 2).repeat(2, 3))


def test_arithmetic_by_operators() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(3)f32",
        "prim::Constant a 0 1 two value=2",
        "prim::Constant b 0 1 word value=floor",
        "aten::sub s 3 1 x x two y",
        "aten::div d 3 1 x two word z",
        "pnnx.Output o 2 0 y z",
    ]
    x = np.array([-3.0, 1.0, 5.0], np.float32)
    difference, quotient = run(lines, [x])
    np.testing.assert_array_equal(difference, -x)
    np.testing.assert_array_equal(quotient, x // 2)


def test_parts_in_a_list() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(2,7)f32",
        "torch.split s 1 1 x l dim=1 split_size_or_sections=(3,4) $input=x",
        "prim::ListUnpack u 1 2 l a b",
        "torch.chunk c 1 1 x m chunks=2 dim=1 $input=x",
        "prim::ListUnpack v 1 2 m d e",
        "pnnx.Output o 4 0 a b d e",
    ]
    x = noise(2, 7)
    expected = [x[:, :3], x[:, 3:], x[:, :4], x[:, 4:]]
    for output, wanted in zip(run(lines, [x]), expected, strict=True):
        np.testing.assert_array_equal(output, wanted)
