"""Wrong arguments of the public API: always a LiteError that names the argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from tests.support.small_programs import affine, affine_reference, make_program

X = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)


class Marked(np.ndarray):
    """A subclass of ndarray."""


class Unreadable:
    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("not now")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    lite.save_program(affine(), folder)
    return folder


@pytest.fixture(scope="module")
def predictor(model: Path) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model, keep=["sum"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_dir": 5}, "model_dir: expected a path, got 5"),
        ({"model_dir": b"m"}, "model_dir: expected a path, got b'm'"),
        (
            {"model_buffer": "text"},
            "model_buffer: expected bytes, such as Path(file).read_bytes(), got 'text'",
        ),
        ({"model_buffer": b"", "params_buffer": "text"}, "params_buffer: expected bytes"),
        ({"threads": "2"}, "threads: expected an integer, such as threads=2, got '2'"),
        ({"threads": 1.5}, "threads: expected an integer, such as threads=2, got 1.5"),
        ({"threads": True}, "threads: expected 1 or more, got True"),
        ({"keep": 5}, "keep: expected a list of names, got 5"),
        ({"keep": [1]}, "keep: expected names, got 1"),
        ({"keep": b"ab"}, "keep: expected names, got 97"),
        ({"keep": None}, "keep: expected a list of names, got None"),
        ({"passes": [None]}, "passes: expected names, got None"),
        ({"devices": 5}, "devices: expected a list of names, got 5"),
        ({"valid_places": [5]}, "valid_places: expected names, got 5"),
        ({"valid_places": [""]}, "valid_places: expected names, got ''"),
        ({"memory": []}, "memory: expected one of compact, best_fit, mru, plain, got []"),
        ({"precision": 5}, "precision: expected one of default, strict, got 5"),
        ({"dot_dir": 5}, "dot_dir: expected a path, got 5"),
        ({"debug": "yes"}, "debug: expected True or False, got 'yes'"),
        ({"input_shapes": [1]}, "input_shapes: expected shapes by input name, got [1]"),
        ({"input_shapes": {5: (1,)}}, "input_shapes: expected shapes by input name, got 5"),
        ({"input_shapes": {"x": 5}}, "input_shapes: input 'x': expected a list of sizes, got 5"),
        ({"input_shapes": {"x": "24"}}, "input_shapes: input 'x': expected a list of sizes, got '24'"),
        ({"input_shapes": {"x": (2.5, 4)}}, "input_shapes: input 'x': expected sizes, got 2.5"),
        ({"input_shapes": {"x": (-1, 4)}}, "input 'x': expected a size of 0 or more, got -1; write '?'"),
    ],
)
def test_options_of_a_wrong_type_are_refused(options: dict[str, Any], message: str) -> None:
    named = options if options.keys() & {"model_dir", "model_buffer"} else {"model_dir": "m", **options}
    with pytest.raises(lite.ConfigError, match=re.escape(message)):
        lite.Config(**named)


def test_a_config_copies_lists_and_dicts() -> None:
    keep, shapes = ["a"], {"x": [1, "n"]}
    config = lite.Config("m", keep=keep, input_shapes=shapes)  # type: ignore[arg-type]
    keep.append("b")
    shapes["x"].append(3)
    assert (config.keep, config.input_shapes) == (("a",), {"x": (1, "n")})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lite.create_predictor("m"), "create_predictor: expected a lite.Config, got 'm'"),  # type: ignore[arg-type]
        (lambda: lite.load_program(5), "expected a path, got 5"),  # type: ignore[arg-type]
        (lambda: lite.save_program(5, "d"), "save_program: expected a Program, got a int"),  # type: ignore[arg-type]
        (lambda: lite.save_program(affine(), 5), "expected a path, got 5"),  # type: ignore[arg-type]
        (lambda: lite.save_program(affine(), "d", format=5), "unknown model format 5"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_a_wrong_type_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(lite.ConfigError, match=re.escape(message)):
        call()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (5, "inputs: expected a dict by name or a list in order, got a int"),
        ("x", "inputs: expected a dict by name or a list in order, got a str"),
        (X, "inputs: expected a dict by name or a list in order, got a ndarray"),
        (iter([X]), "inputs: expected a dict by name or a list in order, got a list_iterator"),
        ({0: X}, "the model has no input 0; it has ['x']"),
        ({None: X}, "the model has no input None"),
        ({"x": None}, "input 'x': expected an array, got None"),
        ({"x": object()}, "input 'x': expected an array, got a object"),
        ({"x": {1: 2}}, "input 'x': expected an array, got a dict"),
        ({"x": Unreadable()}, "input 'x': expected an array, got a Unreadable: not now"),
        ({"x": "text"}, "input 'x': expected elements of float32, got <U4"),
        ({"x": [[1, 2, 3, "4"]]}, "input 'x': expected elements of float32, got <U21"),
        ({"x": [[1j, 2, 3, 4]]}, "input 'x': expected elements of float32, got complex128"),
        ({"x": [[object(), 2, 3, 4]]}, "input 'x': expected elements of float32, got object"),
        ({"x": X.astype(object)}, "input 'x': expected dtype float32, got object"),
        ({"x": X.view([("a", "f4")])}, "input 'x': numpy dtype [('a', '<f4')] is not an element type"),
        ({"x": memoryview(b"abcd")}, "input 'x': expected dtype float32, got uint8"),
        (
            {"x": np.ma.masked_array(X, X > 0)},
            "input 'x': expected an array, got a masked array; pass array.filled(value)",
        ),
        ({"x": 3.0}, "input 'x': expected shape [?,4] (from the model), got []"),
    ],
)
def test_invalid_inputs_are_refused(predictor: lite.Predictor, inputs: Any, message: str) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        predictor.run(inputs)


@pytest.mark.filterwarnings("ignore::Warning")  # numpy before 1.24 makes objects of lists that do not fit
def test_nested_lists_of_unequal_lengths_are_refused(predictor: lite.Predictor) -> None:
    with pytest.raises(lite.InputError, match="input 'x': expected"):
        predictor.run({"x": [[1, 2], [3]]})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "x",
    [
        X.astype(">f4"),
        X.astype("<f4"),
        X.view(Marked),
        memoryview(X.data),
        np.broadcast_to(X[:1], (2, 4)),
        X[:, ::-1],
        np.asfortranarray(X),
        np.zeros((0, 4), np.float32),
        [[1, 2, 3, 4]],
        ((1.5, 2, True, 4),),
    ],
    ids=[
        "big-endian",
        "little-endian",
        "subclass",
        "memoryview",
        "broadcast",
        "backwards",
        "Fortran",
        "empty",
        "list",
        "tuple",
    ],
)
def test_arrays_of_any_layout_and_nested_lists_are_accepted(predictor: lite.Predictor, x: Any) -> None:
    plain = np.array(x, np.float32)
    np.testing.assert_array_equal(predictor.run({"x": x})["y"], affine_reference(plain))


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        (lite.DType.INT64, [1, 2.5], "expected elements of int64, got float64"),
        (lite.DType.UINT8, [1, 256], "expected elements that uint8 can hold, got [  1 256]"),
        (lite.DType.BOOL, [1, 0], "expected elements of bool, got int64"),
        (lite.DType.STRING, np.array([1, None], object), "expected strings, got an array of other objects"),
    ],
)
def test_elements_that_the_dtype_cannot_hold_are_refused(dtype: lite.DType, value: Any, message: str) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        assigning(dtype).run({"x": value})


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (lite.DType.UINT8, [1, 255], np.array([1, 255], np.uint8)),
        (lite.DType.BOOL, [True, False], np.array([True, False])),
        (lite.DType.INT64, np.array([1, -2], ">i8"), np.array([1, -2])),
        (lite.DType.STRING, ["a", "bc"], np.array(["a", "bc"], object)),
        (lite.DType.STRING, np.array(["a", "bc"]), np.array(["a", "bc"], object)),
    ],
)
def test_elements_that_the_dtype_can_hold_are_converted(dtype: lite.DType, value: Any, expected: Any) -> None:
    result = assigning(dtype).run({"x": value})["y"]
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


def assigning(dtype: lite.DType) -> lite.Predictor:
    program = make_program({"x": (dtype, (2,))}, {}, [("assign", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"])
    return predictor_of(program)


def predictor_of(program: Program) -> lite.Predictor:
    config = lite.Config("by hand")
    return lite.Predictor.of_program(program, config)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([X], "outputs: expected a dict by name, got a list"),
        ({"z": X}, "the model has no output 'z'"),
        ({5: X}, "the model has no output 5"),
        ({"y": None}, "output array for 'y': expected a numpy array, got None"),
        ({"y": [[0] * 4] * 2}, "output array for 'y': expected a numpy array, got a list"),
        ({"y": np.broadcast_to(X[:1], (2, 4))}, "output array for 'y' is read-only"),
        ({"y": np.zeros((2, 4), ">f4")}, "output array for 'y' has a foreign byte order"),
        ({"y": np.zeros((2, 4))}, "output array for 'y' is float64[2, 4], the result is float32[2, 4]"),
    ],
)
def test_invalid_output_arrays_are_refused(predictor: lite.Predictor, outputs: Any, message: str) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        predictor.run([X], outputs=outputs)


def test_output_arrays_that_share_memory_are_refused(predictor: lite.Predictor) -> None:
    memory = np.zeros((3, 8), np.float32)
    with pytest.raises(lite.InputError, match="output arrays for 'y' and 'twice' share memory"):
        predictor.run([X], outputs={"y": memory[:2, :4], "twice": memory[1:, :4]})
    separate = {"y": memory[:2, ::2], "twice": memory[:2, 1::2]}
    outputs = predictor.run([X], outputs=separate)
    assert all(outputs[name] is array for name, array in separate.items())
    np.testing.assert_array_equal(memory[:2, ::2], affine_reference(X))
    np.testing.assert_array_equal(memory[:2, 1::2], 2 * affine_reference(X))


@pytest.mark.parametrize(
    ("lods", "message"),
    [
        ([[0, 2]], "lods: expected a dict by name, got a list"),
        ({"y": [[0, 2]]}, "the model has no input 'y'"),
        ({"x": 5}, "input 'x': expected a LoD, a list of lists of integers, got 5"),
        ({"x": None}, "input 'x': expected a LoD"),
        ({"x": [5]}, "input 'x': expected a LoD"),
        ({"x": "02"}, "input 'x': expected a LoD"),
        ({"x": [[0.0, 2.0]]}, "input 'x': expected a LoD"),
        ({"x": [[0, -1, 2]]}, "LoD level [0, -1, 2]: expected offsets of 0 or more"),
    ],
)
def test_invalid_lods_are_refused(predictor: lite.Predictor, lods: Any, message: str) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        predictor.run([X], lods=lods)


@pytest.mark.parametrize("lod", [[], [[0, 2]], [[0, 0, 2]], [[0, 1]], [[0]], [[1, 1]], [[0, 2], [0, 1, 2]]])
def test_lods_that_do_not_match_the_rows_are_accepted(
    predictor: lite.Predictor, lod: list[list[int]]
) -> None:
    predictor.run([X], lods={"x": lod})
    assert predictor.get_lod("y") == tuple(map(tuple, lod))
    predictor.run([X], lods={"x": np.array(lod)} if len(lod) == 1 else {"x": lod})  # type: ignore[dict-item]
    assert predictor.get_lod("y") == tuple(map(tuple, lod))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (5, "shapes: expected a dict by name, got a int"),
        ({}, "prepare: the shape of input 'x' is missing; the model declares [?,4]"),
        ({"y": (2, 4)}, "the model has no input 'y'"),
        ({"x": 5}, "prepare: input 'x': 5 is not a valid shape"),
        ({"x": (2,)}, "input 'x': expected shape [?,4] (from the model), got [2]"),
        ({"x": (-1, 4)}, "prepare: input 'x': (-1, 4) is not a valid shape"),
        ({"x": ("a", 4)}, "prepare: input 'x': ('a', 4) is not a valid shape"),
        ({"x": (10**30, 4)}, "is not a valid shape"),
    ],
)
def test_invalid_shapes_are_refused(predictor: lite.Predictor, shapes: Any, message: str) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        predictor.prepare(shapes)


def test_a_shape_above_the_limit_of_elements_is_refused(predictor: lite.Predictor) -> None:
    made = lite.create_predictor(replace(predictor.config, valid_places=["host"]))
    with pytest.raises(lite.GraphError, match="144,115,188,075,855,872 elements, the limit is 2,147,483,648"):
        made.prepare({"x": (1 << 55, 4)})


def test_a_shape_too_large_for_memory_is_an_execution_error(predictor: lite.Predictor) -> None:
    limits = lite.Limits(elements=1 << 60)
    made = lite.create_predictor(replace(predictor.config, valid_places=["host"], limits=limits))
    with pytest.raises(lite.ExecutionError, match=r"cannot allocate a buffer of \d+ bytes"):
        made.prepare({"x": (1 << 55, 4)})


def test_prepare_needs_no_fixed_shapes() -> None:
    program = make_program(
        {"x": (lite.DType.FLOAT32, (2,))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"]
    )
    predictor = predictor_of(program)
    predictor.prepare({})
    assert predictor.run([np.ones(2, np.float32)])["y"].tolist() == [1, 1]


@pytest.mark.parametrize("which", [-1, 7, 1.5, None, b"x", [0], "zz"])
@pytest.mark.parametrize("method", ["get_input", "get_output", "get", "get_lod"])
def test_unknown_names_and_positions_are_refused(predictor: lite.Predictor, method: str, which: Any) -> None:
    with pytest.raises(lite.InputError, match=r"the model has (no|\d) (input|output)"):
        getattr(predictor, method)(which)


@pytest.mark.parametrize(
    ("inputs", "outputs", "lods", "message"),
    [
        ([X], ["y"], None, "inputs: expected a dict by name, got a list"),
        ({"x": X}, "y", None, "outputs: expected a list of names, got a str"),
        ({"x": X}, [5], None, "the model has no value 5"),
        ({5: X}, ["y"], None, "the model has no value 5"),
        ({"x": X}, ["y"], {"x": [[0, -9]]}, "LoD level [0, -9]"),
        ({"x": X}, ["y"], {"y": [[0, 2]]}, "this part has no input 'y'"),
    ],
)
def test_invalid_arguments_of_run_part_are_refused(
    predictor: lite.Predictor, inputs: Any, outputs: Any, lods: Any, message: str
) -> None:
    with pytest.raises(lite.InputError, match=re.escape(message)):
        predictor.run_part(inputs, outputs, lods)


def test_a_handle_refuses_invalid_arrays_and_lods(predictor: lite.Predictor) -> None:
    handle = predictor.clone().get_input(np.int64(0))  # type: ignore[arg-type]
    with pytest.raises(lite.InputError, match="input 'x': expected elements of float32"):
        handle.from_numpy("text")  # type: ignore[arg-type]
    handle.from_numpy(X)
    with pytest.raises(lite.InputError, match=r"LoD level \[0, -3\]"):
        handle.set_lod([[0, -3]])
    handle.set_lod([[0, 2]])
    assert handle.lod() == ((0, 2),)
