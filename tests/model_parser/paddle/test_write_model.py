"""Models written in Paddle's format."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, Weight
from lite.ir.types import DType
from lite.model_parser.paddle.framework_pb2 import ProgramDesc
from lite.model_parser.paddle.read_program import read_program
from lite.model_parser.paddle.write_model import write_model, write_program
from tests.model_parser.paddle import wire as w
from tests.support.random_programs.stored import programs


def program_with_weights(*names: str) -> Program:
    """A program with a weight float32[2] of elements 1 and 2 for each name."""
    vars_ = {name: Var(name, dtype=DType.FLOAT32, shape=(2,), persistable=True) for name in names}
    array = np.array([1, 2], np.float32)
    return Program([Block(0, vars=vars_)], {name: Weight(array) for name in names}, source="m")


def files(directory: Path) -> dict[str, bytes]:
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


STREAM = w.stream(w.floats(1, 2))


def test_combined_files_are_written(tmp_path: Path) -> None:
    written = write_model(program_with_weights("b", "a"), tmp_path / "new/dir", combined=True)
    assert written == [tmp_path / "new/dir/inference.pdiparams", tmp_path / "new/dir/inference.pdmodel"]
    assert files(tmp_path / "new/dir") == {
        "inference.pdiparams": STREAM * 2,
        "inference.pdmodel": w.block(0, -1, w.weight("b"), w.weight("a")),
    }


def test_separate_files_are_written(tmp_path: Path) -> None:
    written = write_model(program_with_weights("b", "sub/a"), tmp_path, combined=False)
    assert written == [tmp_path / "b", tmp_path / "sub/a", tmp_path / "__model__"]
    assert files(tmp_path) == {
        "__model__": w.block(0, -1, w.weight("b"), w.weight("sub/a")),
        "b": STREAM,
        "sub/a": STREAM,
    }


@pytest.mark.parametrize(("combined", "name"), [(True, "inference.pdmodel"), (False, "__model__")])
def test_a_model_without_weights_has_no_parameter_file(tmp_path: Path, combined: bool, name: str) -> None:
    assert write_model(program_with_weights(), tmp_path, combined=combined) == [tmp_path / name]
    assert files(tmp_path) == {name: w.block(0, -1)}


def test_open_files_are_replaced_and_keep_their_content(tmp_path: Path) -> None:
    write_model(program_with_weights("a"), tmp_path, combined=True)
    with open(tmp_path / "inference.pdiparams", "rb") as old:
        write_model(program_with_weights("a", "b"), tmp_path, combined=True)
        assert old.read() == STREAM
    assert files(tmp_path)["inference.pdiparams"] == STREAM * 2


@pytest.mark.parametrize("name", ["../w", "/tmp/w", "..", "a/../../w"])
def test_names_that_leave_the_directory_need_a_combined_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelParseError, match="is not a path inside the model's directory"):
        write_model(program_with_weights("a", name), tmp_path / "m", combined=False)
    assert files(tmp_path) == {}
    write_model(program_with_weights("a", name), tmp_path / "m", combined=True)
    assert sorted(files(tmp_path)) == ["m/inference.pdiparams", "m/inference.pdmodel"]


@pytest.mark.parametrize("names", [("__model__",), ("a/b", "a//b"), ("a", "./a")])
def test_two_files_of_one_path_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(
        ModelParseError, match="two files of the model would have this path; save it combined"
    ):
        write_model(program_with_weights(*names), tmp_path, combined=False)
    assert files(tmp_path) == {}


def test_a_name_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match=r"a/b: cannot be written: .*; check the directory"):
        write_model(program_with_weights("a", "a/b"), tmp_path, combined=False)


def test_weights_and_variables_must_match(tmp_path: Path) -> None:
    model = program_with_weights("a", "b")
    del model.weights["a"]
    model.weights["c"] = model.weights["b"]
    with pytest.raises(ModelParseError, match=r"^m: \['a', 'c'\] are either weights without"):
        write_model(model, tmp_path, combined=True)


def test_a_weight_that_differs_from_its_variable_is_refused(tmp_path: Path) -> None:
    model = program_with_weights("a")
    model.weights["a"] = Weight(np.zeros(3, np.float32))
    with pytest.raises(ModelParseError) as caught:
        write_model(model, tmp_path, combined=True)
    assert str(caught.value) == "m: weight 'a': expected dims [2], as the program declares, got [3]"


def test_a_weight_of_strings_is_refused(tmp_path: Path) -> None:
    model = program_with_weights("a")
    model.blocks[0].vars["a"].dtype = DType.STRING
    model.weights["a"] = Weight(np.array(["x", "y"], object))
    with pytest.raises(ModelParseError, match=r"^m: weight 'a': strings cannot be saved as a parameter"):
        write_model(model, tmp_path, combined=True)
    assert files(tmp_path) == {}


def test_a_program_without_blocks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match=r"^m: the program has no block, so there is nothing to save$"):
        write_model(Program(source="m"), tmp_path, combined=True)


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(ModelParseError, match=r"cannot be written: .*; check the directory"):
        write_model(program_with_weights("a"), tmp_path / "m", combined=True)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(programs())
def test_a_written_program_is_read_unchanged(program: Program) -> None:
    data = write_program(program)
    again = read_program(data, "random")
    assert again == program
    # Equal dicts may differ in order, and the format keeps it.
    assert repr(again) == repr(program)
    assert write_program(again) == data


def test_extra_is_written_into_its_own_message() -> None:
    new = w.num(100, 7)
    op = Op("t", extra=new, attrs={"a": Attribute(AttrType.INT, 1, extra=new)})
    program = Program([Block(0, ops=[op], vars={"v": Var("v", extra=new)}, extra=new)], extra=new)
    assert write_program(program) == (
        w.block(
            0,
            -1,
            w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7)), new),
            w.op("t", w.attr("a", 0, w.num(3, 1), new), new),
            new,
        )
        + new
    )


@pytest.mark.parametrize(
    ("block", "message_head"),
    [
        (Block(2**31), "m: block 2147483648: "),
        (Block(0, ops=[Op("a"), Op("t", {"X": ["\ud800"]})]), "m: block 0, op 1 (t): "),
        (
            Block(0, ops=[Op("t", {"X": "ab"})]),  # type: ignore[dict-item]
            "m: block 0, op 0 (t): the slot 'X' holds the string 'ab', expected a list of names",
        ),
        (
            Block(0, ops=[Op("t", attrs={"a": Attribute(AttrType.INT, "x")})]),
            "m: block 0, op 0 (t): the attribute 'a' of type INT cannot hold 'x': ",
        ),
        (
            Block(0, vars={"a": Var("b")}),
            "m: block 0, variable 'a': its key in the block differs from its name 'b'",
        ),
        (Block(0, vars={"a": Var("a", extra=b"\xff")}), "m: block 0, variable 'a': "),
        (Block(0, extra=b"\xff"), "m: block 0: "),
    ],
)
def test_a_block_that_the_format_cannot_hold_is_refused(block: Block, message_head: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        write_program(Program([block], source="m"))
    assert str(caught.value).startswith(message_head)


@pytest.mark.parametrize(
    "program",
    [
        Program(version=2**63, source="m"),
        Program(op_versions={"a": 2**31}, source="m"),
        Program(op_versions={"\ud800": 1}, source="m"),
        Program(extra=b"\xff", source="m"),
    ],
)
def test_program_fields_that_the_format_cannot_hold_are_refused(program: Program) -> None:
    with pytest.raises(ModelParseError, match=r"^m: the program cannot be written: "):
        write_program(program)


def test_protobuf_reads_the_written_bytes() -> None:
    op = Op("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": Attribute(AttrType.FLOAT, 0.5)})
    message = ProgramDesc()
    message.ParseFromString(write_program(Program([Block(0, ops=[op])], version=3)))
    expected = ProgramDesc()
    block = expected.blocks.add(idx=0, parent_idx=-1)
    block.ops.add(
        type="scale",
        inputs=[{"parameter": "X", "arguments": ["x"]}],
        outputs=[{"parameter": "Out", "arguments": ["y"]}],
        attrs=[{"name": "scale", "type": "FLOAT", "f": 0.5}],
    )
    expected.version.version = 3
    assert message == expected
