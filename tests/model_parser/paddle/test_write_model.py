from pathlib import Path

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.program import Block, Program, Var, Weight
from lite.ir.types import DType
from lite.model_parser.paddle.write_model import write_model
from tests.model_parser.paddle import wire as w


def program(*names: str) -> Program:
    """One float32 weight [1, 2] a name."""
    vars_ = {name: Var(name, dtype=DType.FLOAT32, shape=(2,), persistable=True) for name in names}
    array = np.array([1, 2], np.float32)
    return Program([Block(0, vars=vars_)], {name: Weight(array) for name in names}, source="m")


def files(directory: Path) -> dict[str, bytes]:
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


STREAM = w.stream(w.floats(1, 2))


def test_combined(tmp_path: Path) -> None:
    written = write_model(program("b", "a"), tmp_path / "new/dir", combined=True)
    assert written == [tmp_path / "new/dir/inference.pdiparams", tmp_path / "new/dir/inference.pdmodel"]
    assert files(tmp_path / "new/dir") == {
        "inference.pdiparams": STREAM * 2,
        "inference.pdmodel": w.block(0, -1, w.weight("b"), w.weight("a")),
    }


def test_separate(tmp_path: Path) -> None:
    written = write_model(program("b", "sub/a"), tmp_path, combined=False)
    assert written == [tmp_path / "b", tmp_path / "sub/a", tmp_path / "__model__"]
    assert files(tmp_path) == {
        "__model__": w.block(0, -1, w.weight("b"), w.weight("sub/a")),
        "b": STREAM,
        "sub/a": STREAM,
    }


@pytest.mark.parametrize(("combined", "name"), [(True, "inference.pdmodel"), (False, "__model__")])
def test_without_weights(tmp_path: Path, combined: bool, name: str) -> None:
    assert write_model(program(), tmp_path, combined=combined) == [tmp_path / name]
    assert files(tmp_path) == {name: w.block(0, -1)}


def test_replaces_and_leaves_the_old_file_to_its_readers(tmp_path: Path) -> None:
    write_model(program("a"), tmp_path, combined=True)
    with open(tmp_path / "inference.pdiparams", "rb") as old:
        write_model(program("a", "b"), tmp_path, combined=True)
        assert old.read() == STREAM
    assert files(tmp_path)["inference.pdiparams"] == STREAM * 2


@pytest.mark.parametrize("name", ["../w", "/tmp/w", "..", "a/../../w"])
def test_names_that_leave_the_directory(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelParseError, match="is not a path inside the model's directory"):
        write_model(program("a", name), tmp_path / "m", combined=False)
    assert files(tmp_path) == {}
    write_model(program("a", name), tmp_path / "m", combined=True)
    assert sorted(files(tmp_path)) == ["m/inference.pdiparams", "m/inference.pdmodel"]


@pytest.mark.parametrize("names", [("__model__",), ("a/b", "a//b"), ("a", "./a")])
def test_two_things_in_one_file(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(
        ModelParseError, match="two parts of the model would be written here; save it combined"
    ):
        write_model(program(*names), tmp_path, combined=False)
    assert files(tmp_path) == {}


def test_a_name_that_is_also_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match=r"a/b: cannot be written: .*; check the directory"):
        write_model(program("a", "a/b"), tmp_path, combined=False)


def test_weights_and_variables_must_match(tmp_path: Path) -> None:
    model = program("a", "b")
    del model.weights["a"]
    model.weights["c"] = model.weights["b"]
    with pytest.raises(ModelParseError, match=r"^m: \['a', 'c'\] are either weights without"):
        write_model(model, tmp_path, combined=True)


def test_a_weight_that_is_not_what_the_variable_says(tmp_path: Path) -> None:
    model = program("a")
    model.weights["a"] = Weight(np.zeros(3, np.float32))
    with pytest.raises(ModelParseError) as caught:
        write_model(model, tmp_path, combined=True)
    assert str(caught.value) == "m: weight 'a': the program says dims [2], found [3]"


def test_a_weight_that_no_stream_holds(tmp_path: Path) -> None:
    model = program("a")
    model.blocks[0].vars["a"].dtype = DType.STRING
    model.weights["a"] = Weight(np.array(["x", "y"], object))
    with pytest.raises(ModelParseError, match=r"^m: weight 'a': strings cannot be saved as a parameter"):
        write_model(model, tmp_path, combined=True)
    assert files(tmp_path) == {}


def test_no_block(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match=r"^m: the program has no block, so there is nothing to save$"):
        write_model(Program(source="m"), tmp_path, combined=True)


def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(ModelParseError, match=r"cannot be written: .*; check the directory"):
        write_model(program("a"), tmp_path / "m", combined=True)
