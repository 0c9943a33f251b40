"""Contents that `litebridge info` shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lite
from lite.ir.program import Op
from tests.tools.tiny_model import call, call_json, tiny

DOCUMENT = {
    "source": "model_dir/inference.pdmodel",
    "format": "paddle",
    "version": 2006002,
    "op_versions": 0,
    "blocks": 1,
    "inputs": [{"name": "x", "dtype": "float32", "shape": [-1, 4]}],
    "outputs": [{"name": "y", "dtype": "float32", "shape": [-1, 3]}],
    "ops": {"elementwise_add": 1, "feed": 1, "fetch": 1, "mul": 1, "relu": 1},
    "weights": [{"dtype": "float32", "count": 2, "bytes": 60}],
    "unsupported": {},
    "origin": {},
    "parameters": 15,
    "macs": None,
}

TEXT = """\
model       model_dir/inference.pdmodel
format      paddle
version     2006002
blocks      1
parameters  15
MACs        unknown: give the sizes by --shape

inputs
name  dtype    shape
x     float32  [-1,4]

outputs
name  dtype    shape
y     float32  [-1,3]

ops by type
type             ops  supported
elementwise_add    1  yes
feed               1  yes
fetch              1  yes
mul                1  yes
relu               1  yes

weights
dtype    weights  bytes
float32        2     60
"""

OPS = """
ops in order
block  op  type             inputs -> outputs
    0   0  feed             X=feed -> Out=x
    0   1  mul              X=x, Y=w -> Out=xw
    0   2  elementwise_add  X=xw, Y=b -> Out=sum
    0   3  relu             X=sum -> Out=y
    0   4  fetch            X=y -> Out=fetch
"""


def test_the_output_has_a_table_per_kind(workplace: Path) -> None:
    assert call("info", "model_dir").stdout == TEXT


def test_the_document_has_all_contents(workplace: Path) -> None:
    assert call_json("info", "model_dir") == DOCUMENT


def test_two_files_give_the_same_result_as_the_directory(workplace: Path) -> None:
    files = ("model_dir/inference.pdmodel", "--params", "model_dir/inference.pdiparams")
    assert call_json("info", *files) == DOCUMENT


def test_ops_are_listed_in_order(workplace: Path) -> None:
    assert call("info", "model_dir", "--ops").stdout == TEXT + OPS


def test_the_document_lists_ops_with_attributes(workplace: Path) -> None:
    result = call_json("info", "model_dir", "--ops")
    listed = result.pop("op_list")
    assert result == DOCUMENT
    assert listed[1] == {
        "block": 0,
        "index": 1,
        "type": "mul",
        "inputs": {"X": ["x"], "Y": ["w"]},
        "outputs": {"Out": ["xw"]},
        "attrs": {"x_num_col_dims": 1, "y_num_col_dims": 1},
    }
    assert [row["type"] for row in listed] == ["feed", "mul", "elementwise_add", "relu", "fetch"]


def test_all_unsupported_ops_are_listed_after_the_tables(workplace: Path) -> None:
    program = tiny()
    ops = program.blocks[0].ops
    ops[1:1] = [Op(kind, {"X": ["x"]}, {"Out": ["x"]}) for kind in ("relux", "my_op", "relux")]
    lite.save_program(program, "strange")

    result = call("info", "strange", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["unsupported"] == {"my_op": 1, "relux": 2}
    assert "2 op types are not supported: my_op (1x), relux (2x, did you mean 'relu" in result.stderr
    text = call("info", "strange").stdout
    assert "relux              2  no\n" in text
    assert "relu               1  yes\n" in text


def test_the_work_is_counted_for_given_sizes(workplace: Path) -> None:
    assert call_json("info", "model_dir", "--shape", "x=5,4")["macs"] == 5 * 4 * 3
    assert "MACs        60\n" in call("info", "model_dir", "--shape", "x=5,4").stdout


def test_an_onnx_model_has_opset_and_producer(workplace: Path) -> None:
    origin = call_json("info", "model.onnx")["origin"]
    assert (origin["opset"], origin["producer"].split()[0]) == ("ai.onnx 21", "litebridge")


def test_ops_of_an_onnx_model_are_listed_before_the_error(workplace: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load("model.onnx")
    model.graph.node[0].op_type = "Unheard"
    onnx.save(model, "odd.onnx")
    result = call("info", "odd.onnx")
    assert result.exit_code == 1
    assert "Unheard" in result.stdout
    assert "ai.onnx 21" in result.stdout
    assert "Unheard (1x" in result.stderr
