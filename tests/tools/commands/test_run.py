"""Outputs, times and comparisons of `litebridge run`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import DType
from lite.tools.arrays.files import write_arrays
from tests.support.small_programs import make_program
from tests.tools.tiny_model import X, call, call_json, reference

# reference(X) is [[7, 3, 17], [0, 7, 1]].
ROW = {"name": "y", "dtype": "float32", "shape": [2, 3], "min": 0.0, "max": 17.0, "mean": 35 / 6}


PLACES = [{"place": "host", "ops": 3, "regions": 0, "on_host": 0}]


def test_the_document_has_outputs_and_times(workplace: Path) -> None:
    result = call_json("run", "model_dir", "--input", "x=x.npy")
    timing = result.pop("timing")
    assert result.pop("outputs") == [{**ROW, "mean": pytest.approx(35 / 6)}]
    kernels = {"target": "cpu", "left": 0, "total": 0, "problem": ""}
    assert result == {"places": PLACES, "kernels": kernels, "comparisons": [], "written": []}
    assert (list(timing), timing["steady_ms"], timing["runs"]) == (
        ["load_ms", "first_ms", "steady_ms", "runs"],
        None,
        1,
    )


def test_the_output_has_tables_of_outputs_and_times(workplace: Path) -> None:
    lines = call("run", "model_dir", "--input", "x=x.npy", "--repeat", 3).stdout.splitlines()
    assert lines[:4] == [
        "outputs",
        "name  dtype    shape  min  max     mean",
        "y     float32  [2,3]    0   17  5.83333",
        "",
    ]
    assert [line.rsplit("  ", 1)[0].strip() for line in lines[4:]] == [
        "load",
        "first run",
        "steady",
        "ran on",
        "kernels",
    ]
    assert lines[-3].endswith(" ms (median of 2)")
    assert lines[-2:] == ["ran on     host: 3 ops", "kernels    cpu"]


def test_repeat_times_later_runs(workplace: Path) -> None:
    timing = call_json("run", "model_dir", "--input", "x=x.npy", "--repeat", 3)["timing"]
    assert timing["runs"] == 3
    assert timing["steady_ms"] > 0


def test_random_inputs_depend_only_on_the_seed(workplace: Path) -> None:
    def outputs(*more: object) -> object:
        return call_json("run", "model_dir", "--shape", "x=5,4", *more)["outputs"]

    assert outputs() == outputs("--seed", 0, "--threads", 2)
    assert outputs() != outputs("--seed", 1)


def test_zeros_and_ones_are_used_as_inputs(workplace: Path) -> None:
    for source, x in (("zeros", np.zeros((1, 4))), ("ones", np.ones((1, 4)))):
        expected = reference(x)
        (row,) = call_json("run", "model_dir", "--shape", "x=1,4", "--input", f"x={source}")["outputs"]
        assert (row["min"], row["max"]) == (expected.min(), expected.max())


def test_open_sizes_need_a_shape(workplace: Path) -> None:
    result = call("run", "model_dir")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "litebridge: input 'x' is float32[?,4]: the model leaves sizes open; give a shape, such as "
        "--shape x=1,4, or an array, --input x=FILE\n"
    )


@pytest.mark.parametrize("option", [("--input", "X=zeros"), ("--shape", "X=1,4")])
def test_an_unknown_input_is_refused(workplace: Path, option: tuple[str, str]) -> None:
    result = call("run", "model_dir", *option)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the model has no input 'X'" in result.stderr


def test_an_input_may_occur_only_once_per_option(workplace: Path) -> None:
    result = call("run", "model_dir", "--input", "x=zeros", "--input", "x=ones")
    assert (result.exit_code, result.stderr) == (1, "litebridge: --input is given twice for 'x'\n")


def test_outputs_are_written_to_one_file(workplace: Path) -> None:
    result = call_json("run", "model_dir", "--input", "x=x.npy", "--output", "new/results.npz")
    assert result["written"] == ["new/results.npz"]
    with np.load("new/results.npz") as stored:
        assert stored.files == ["y"]
        np.testing.assert_array_equal(stored["y"], reference(X))


def test_outputs_and_kept_variables_are_written_to_a_directory(workplace: Path) -> None:
    result = call("run", "model_dir", "--input", "x=x.npy", "--keep", "sum", "--output", "results")
    assert result.stdout.endswith("wrote results/y.npy\nwrote results/sum.npy\n")
    np.testing.assert_array_equal(np.load("results/y.npy"), reference(X))
    np.testing.assert_array_equal(np.maximum(np.load("results/sum.npy"), 0), reference(X))
    assert np.load("results/sum.npy").min() < 0


def test_passes_are_replaced_by_a_list(workplace: Path) -> None:
    arguments = ("run", "model_dir", "--input", "x=x.npy")
    assert call_json(*arguments, "--passes", "")["outputs"] == call_json(*arguments)["outputs"]
    result = call(*arguments, "--passes", "unheard_of")
    assert (result.exit_code, result.stderr) == (
        1,
        "litebridge: no pass is called 'unheard_of'; litebridge passes lists them\n",
    )


def test_a_reference_has_inputs_and_expected_outputs(workplace: Path) -> None:
    result = call_json("run", "model_dir", "--reference", "reference.npz")
    assert result["comparisons"] == [{"name": "y", "error": 0.0, "problem": None, "is_near": False}]
    text = call("run", "model_dir", "--reference", "reference.npz").stdout
    assert text.endswith(
        "compared with the reference\nname  relative error  verdict\ny                  0  equal\n"
    )


def test_a_difference_exits_with_3(workplace: Path) -> None:
    write_arrays({"in:x": X, "out:y": reference(X) + np.float32(0.17)}, Path("other.npz"))
    result = call("run", "model_dir", "--reference", "other.npz", "--json")
    assert (result.exit_code, result.stderr) == (3, "")
    (comparison,) = json.loads(result.stdout)["comparisons"]
    assert comparison == {
        "name": "y",
        "error": pytest.approx(0.17 / 17.17, rel=1e-4),
        "problem": "above 0.001",
        "is_near": False,
    }
    assert call("run", "model_dir", "--reference", "other.npz", "--tolerance", 0.01).exit_code == 0


def test_options_take_precedence_over_the_reference(workplace: Path) -> None:
    result = call(
        "run", "model_dir", "--reference", "reference.npz", "--input", "x=zeros", "--shape", "x=2,4"
    )
    assert result.exit_code == 3


def test_a_reference_with_an_unknown_output_is_refused(workplace: Path) -> None:
    write_arrays({"in:x": X, "out:yy": reference(X)}, Path("other.npz"))
    result = call("run", "model_dir", "--reference", "other.npz")
    assert result.exit_code == 1
    assert result.stderr == (
        "litebridge: the reference has an output 'yy', which the model lacks; did you mean 'y'?; "
        "the model's outputs: y\n"
    )


def test_a_lod_divides_an_input_into_sequences(workplace: Path) -> None:
    pool = ("sequence_pool", {"X": ["x"]}, {"Out": ["y"]}, {"pooltype": "SUM"})
    program = make_program({"x": (DType.FLOAT32, (-1, 2))}, {}, [pool], ["y"])
    program.blocks[0].vars["x"].lod_level = 1
    lite.save_program(program, "sequences")
    result = call(
        "run", "sequences", "--shape", "x=5,2", "--input", "x=ones", "--lod", "x=0,2,5", "--output", "o"
    )
    assert (result.exit_code, result.stderr) == (0, "")
    np.testing.assert_array_equal(np.load("o/y.npy"), [[2, 2], [3, 3]])
