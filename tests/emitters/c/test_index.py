"""Reading and writing by indices, sorting, running sums and filled arrays in C, with sanitizers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite.ir.types import Array, DType
from lite.session.predictor import create_predictor
from tests.emitters.c.op_table import Row, check_rows, random
from tests.support.compiled_c import compile_model, saved_config
from tests.support.small_programs import OpText, make_program


def test_reading_and_writing_by_index_equal_the_engine(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    inputs: dict[str, Array] = {
        "x": random(3, 5, 4),
        "deep": rng.integers(0, 5, (3, 6, 4)),
        "last": rng.integers(0, 4, (3, 5, 4)).astype(np.int32),
        "rows": np.array([2, 0]),
        "repeated": np.array([1, 1]),
        "pairs": np.array([[0, 1], [2, 4], [0, 1]]),
        "value": random(3, 6, 4, seed=1),
        "one": random(1, 1, 1),
        "two": random(2, 5, 4),
        "three": random(3, 4),
        "whole": rng.integers(-50, 50, (3, 5, 4)),
        "addend": rng.integers(-50, 50, (3, 6, 4)),
    }
    deep, last = {"Input": "x", "Index": "deep"}, {"Input": "x", "Index": "last"}
    nd = {"X": "x", "Index": "pairs", "Updates": "three"}
    rows: list[Row] = [
        ("take_along_axis", deep, {"Axis": 1}),
        ("take_along_axis", last, {"Axis": -1}),
        *(
            ("put_along_axis", {**deep, "Value": "value"}, {"Axis": 1, "Reduce": reduce})
            for reduce in ("assign", "add", "mul", "amax", "amin")
        ),
        (
            "put_along_axis",
            {"Input": "whole", "Index": "deep", "Value": "addend"},
            {"Axis": 1, "Reduce": "add"},
        ),
        ("scatter", {"X": "x", "Ids": "rows", "Updates": "two"}, {"overwrite": True}),
        ("scatter", {"X": "x", "Ids": "repeated", "Updates": "two"}, {"overwrite": False}),
        ("scatter_nd_add", nd, {}),
        ("scatter_nd_update", nd, {"reduction": "assign"}),
        ("scatter_nd_update", nd, {"reduction": "multiply"}),
        ("one_hot_v2", {"X": "rows"}, {"depth": 4, "dtype": 5}),
        ("one_hot_v2", {"X": "deep"}, {"depth": 3, "dtype": 2, "allow_out_of_range": True}),
        ("one_hot_values", {"X": "last", "Values": "off_on"}, {"depth": 3, "axis": 1}),
        ("tril_triu", {"X": "x"}, {"diagonal": -1, "lower": True}),
        ("tril_triu", {"X": "whole"}, {"diagonal": 1, "lower": False}),
        ("fill_any_like", {"X": "x"}, {"value": 2.5}),
        ("fill_any_like", {"X": "x"}, {"value": -3.0, "dtype": 3}),
        ("fill_constant", {}, {"shape": [3, 2], "value": 1.25, "dtype": 5}),
    ]

    check_rows(tmp_path, inputs, {"off_on": np.array([-1, 2], np.float32)}, rows)


def test_running_sums_equal_the_engine(tmp_path: Path) -> None:
    inputs: dict[str, Array] = {
        "x": random(3, 5, 4),
        "whole": np.random.default_rng(0).integers(-9, 9, (3, 5, 4)),
        "one": random(1),
    }
    rows: list[Row] = [
        (name, {"X": x}, {axis: 1, "exclusive": exclusive, "reverse": reverse})
        for name, axis in (("cumsum", "axis"), ("cumprod", "dim"))
        for x in ("x", "whole")
        for exclusive in (False, True)
        for reverse in (False, True)
    ]
    rows.append(("cumsum", {"X": "x"}, {"flatten": True}))
    rows.append(("cumsum", {"X": "one"}, {"axis": 0, "exclusive": True}))

    check_rows(tmp_path, inputs, {}, rows)


def test_sorting_equals_the_engine_and_keeps_the_order_of_equal_elements(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    inputs: dict[str, Array] = {
        "x": rng.integers(0, 5, (3, 17, 4)).astype(np.float32),
        "whole": rng.integers(-3, 3, (2, 33)),
        "line": np.array([2.0, np.nan, -1.0, np.inf, np.nan, 2.0], np.float32),
    }
    ops: list[OpText] = [
        ("argsort", {"X": ["x"]}, {"Out": ["a0"], "Indices": ["b0"]}, {"axis": 1}),
        ("argsort", {"X": ["whole"]}, {"Out": ["a1"], "Indices": ["b1"]}, {"axis": -1, "descending": True}),
        ("top_k_v2", {"X": ["x"]}, {"Out": ["a2"], "Indices": ["b2"]}, {"k": 3, "axis": 1}),
        ("top_k_v2", {"X": ["whole"]}, {"Out": ["a3"], "Indices": ["b3"]}, {"k": 5, "largest": False}),
        ("argsort", {"X": ["line"]}, {"Out": ["a4"], "Indices": ["b4"]}, {}),
        ("argsort", {"X": ["line"]}, {"Out": ["a5"], "Indices": ["b5"]}, {"descending": True}),
        ("argsort", {"X": ["whole"]}, {"Out": ["a6"]}, {"axis": 0}),
    ]
    names = [name for op in ops for values in op[2].values() for name in values]
    declared = {name: (DType.from_numpy(array.dtype), array.shape) for name, array in inputs.items()}
    shapes = {name: array.shape for name, array in inputs.items()}
    config = saved_config(make_program(declared, {}, ops, names), tmp_path / "source", input_shapes=shapes)
    expected = create_predictor(config).run(dict(inputs))

    results = compile_model(config, tmp_path / "c").run(inputs)

    for name, result in zip(names, results, strict=True):
        np.testing.assert_array_equal(result, expected[name], err_msg=name)


def test_an_index_out_of_range_is_a_status(tmp_path: Path) -> None:
    inputs: dict[str, Array] = {"x": random(3, 4), "ids": np.array([[0], [4], [1]])}
    declared = {name: (DType.from_numpy(array.dtype), array.shape) for name, array in inputs.items()}
    ops: list[OpText] = [
        ("take_along_axis", {"Input": ["x"], "Index": ["ids"]}, {"Result": ["y"]}, {"Axis": 1})
    ]
    shapes = {name: array.shape for name, array in inputs.items()}
    config = saved_config(make_program(declared, {}, ops, ["y"]), tmp_path / "source", input_shapes=shapes)

    done = compile_model(config, tmp_path / "c").call(inputs)

    assert done.returncode != 0
    assert "an index is out of range" in done.stderr
