"""litebridge run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import DType
from lite.tools.result_files import write_results
from tests.lite.small_models import make_program
from tests.tools.tiny_model import X, call, call_json, reference

# reference(X) is [[7, 3, 17], [0, 7, 1]].
ROW = {"name": "y", "dtype": "float32", "shape": [2, 3], "min": 0.0, "max": 17.0, "mean": 35 / 6}


def test_json(workplace: Path) -> None:
    found = call_json("run", "model_dir", "--input", "x=x.npy")
    timing = found.pop("timing")
    assert found.pop("outputs") == [{**ROW, "mean": pytest.approx(35 / 6)}]
    assert found == {"comparisons": [], "written": []}
    assert (list(timing), timing["steady_ms"], timing["runs"]) == (
        ["load_ms", "first_ms", "steady_ms", "runs"],
        None,
        1,
    )


def test_text(workplace: Path) -> None:
    lines = call("run", "model_dir", "--input", "x=x.npy", "--repeat", 3).stdout.splitlines()
    assert lines[:4] == [
        "outputs",
        "name  dtype    shape  min  max     mean",
        "y     float32  [2,3]    0   17  5.83333",
        "",
    ]
    assert [line.rsplit("  ", 1)[0].strip() for line in lines[4:]] == ["load", "first run", "steady"]
    assert lines[-1].endswith(" ms (median of 2)")


def test_repeat_times_the_further_runs(workplace: Path) -> None:
    timing = call_json("run", "model_dir", "--input", "x=x.npy", "--repeat", 3)["timing"]
    assert timing["runs"] == 3
    assert timing["steady_ms"] > 0


def test_made_up_inputs_depend_on_the_seed_only(workplace: Path) -> None:
    def outputs(*more: object) -> object:
        return call_json("run", "model_dir", "--shape", "x=5,4", *more)["outputs"]

    assert outputs() == outputs("--seed", 0, "--threads", 2)
    assert outputs() != outputs("--seed", 1)


def test_zeros_and_ones(workplace: Path) -> None:
    for source, x in (("zeros", np.zeros((1, 4))), ("ones", np.ones((1, 4)))):
        expected = reference(x)
        (row,) = call_json("run", "model_dir", "--shape", "x=1,4", "--input", f"x={source}")["outputs"]
        assert (row["min"], row["max"]) == (expected.min(), expected.max())


def test_sizes_that_nobody_says_are_asked_for(workplace: Path) -> None:
    result = call("run", "model_dir")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "litebridge: input 'x' is float32[?,4]: the model leaves sizes open; say them, as in --shape x=1,4, "
        "or give --input x=FILE\n"
    )


@pytest.mark.parametrize("option", [("--input", "X=zeros"), ("--shape", "X=1,4")])
def test_a_name_that_is_no_input(workplace: Path, option: tuple[str, str]) -> None:
    result = call("run", "model_dir", *option)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the model has no input 'X'" in result.stderr


def test_an_option_twice_for_one_input(workplace: Path) -> None:
    result = call("run", "model_dir", "--input", "x=zeros", "--input", "x=ones")
    assert (result.exit_code, result.stderr) == (1, "litebridge: --input is given twice for 'x'\n")


def test_output_to_one_file(workplace: Path) -> None:
    found = call_json("run", "model_dir", "--input", "x=x.npy", "--output", "new/results.npz")
    assert found["written"] == ["new/results.npz"]
    with np.load("new/results.npz") as stored:
        assert stored.files == ["y"]
        np.testing.assert_array_equal(stored["y"], reference(X))


def test_output_to_a_directory_with_what_is_kept(workplace: Path) -> None:
    result = call("run", "model_dir", "--input", "x=x.npy", "--keep", "sum", "--output", "results")
    assert result.stdout.endswith("wrote results/y.npy\nwrote results/sum.npy\n")
    np.testing.assert_array_equal(np.load("results/y.npy"), reference(X))
    np.testing.assert_array_equal(np.maximum(np.load("results/sum.npy"), 0), reference(X))
    assert np.load("results/sum.npy").min() < 0


def test_a_pass_list_of_ones_own(workplace: Path) -> None:
    arguments = ("run", "model_dir", "--input", "x=x.npy")
    assert call_json(*arguments, "--passes", "")["outputs"] == call_json(*arguments)["outputs"]
    result = call(*arguments, "--passes", "no_pass")
    assert (result.exit_code, result.stderr) == (1, "litebridge: no pass is called 'no_pass'\n")


def test_reference_feeds_and_compares(workplace: Path) -> None:
    found = call_json("run", "model_dir", "--reference", "reference.npz")
    assert found["comparisons"] == [{"name": "y", "error": 0.0, "problem": None}]
    text = call("run", "model_dir", "--reference", "reference.npz").stdout
    assert text.endswith(
        "compared with the reference\nname  relative error  verdict\ny                  0  equal\n"
    )


def test_a_difference_is_status_3(workplace: Path) -> None:
    write_results({"in:x": X, "out:y": reference(X) + np.float32(0.17)}, Path("other.npz"))
    result = call("run", "model_dir", "--reference", "other.npz", "--json")
    assert (result.exit_code, result.stderr) == (3, "")
    (found,) = json.loads(result.stdout)["comparisons"]
    assert found == {"name": "y", "error": pytest.approx(0.17 / 17.17, rel=1e-4), "problem": "above 0.001"}
    assert call("run", "model_dir", "--reference", "other.npz", "--tolerance", 0.01).exit_code == 0


def test_an_option_comes_before_the_reference(workplace: Path) -> None:
    result = call(
        "run", "model_dir", "--reference", "reference.npz", "--input", "x=zeros", "--shape", "x=2,4"
    )
    assert result.exit_code == 3


def test_a_reference_for_an_output_that_is_not_there(workplace: Path) -> None:
    write_results({"in:x": X, "out:yy": reference(X)}, Path("other.npz"))
    result = call("run", "model_dir", "--reference", "other.npz")
    assert result.exit_code == 1
    assert result.stderr == (
        "litebridge: the reference has an output 'yy', the model has not; did you mean 'y'?; its outputs: y\n"
    )


def test_lod_cuts_an_input_into_sequences(workplace: Path) -> None:
    pool = ("sequence_pool", {"X": ["x"]}, {"Out": ["y"]}, {"pooltype": "SUM"})
    program = make_program({"x": (DType.FLOAT32, (-1, 2))}, {}, [pool], ["y"])
    program.blocks[0].vars["x"].lod_level = 1
    lite.save_program(program, "sequences")
    result = call(
        "run", "sequences", "--shape", "x=5,2", "--input", "x=ones", "--lod", "x=0,2,5", "--output", "o"
    )
    assert (result.exit_code, result.stderr) == (0, "")
    np.testing.assert_array_equal(np.load("o/y.npy"), [[2, 2], [3, 3]])
