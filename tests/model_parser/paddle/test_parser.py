"""Models in every form of files and buffers, read through the registered parser."""

import errno
import mmap
import os
from pathlib import Path

import numpy as np
import pytest

import lite.model_parser.paddle  # noqa: F401  (registers the parser)
from lite.errors import ModelParseError
from lite.plugin.format import PARSERS, ModelSource
from tests.model_parser.paddle import wire as w

PARSER = PARSERS.get("paddle")
MODELS = Path(__file__).parents[3] / "../shared/models/paddle"
REAL = sorted(path.parent for path in MODELS.glob("*/inference.pdmodel"))

# Two weights; in a combined file "W" comes before "a/b", because names are sorted by bytes.
PROGRAM = w.block(0, -1, w.weight("a/b", 3, (1,)), w.weight("W", 5, (2,)), w.var("x"), w.op("relu"))
STREAM_W = w.stream(w.floats(1, 2))
STREAM_A = w.stream(b"\x07" + bytes(7), 3, (1,))
PARAMS = STREAM_W + STREAM_A
EMPTY = w.block(0, -1, w.op("relu"))


def write(directory: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_bytes(data)
    return directory


def weights(source: ModelSource) -> dict[str, list[float]]:
    assert PARSER.sniff(source)
    return {name: weight.array.tolist() for name, weight in PARSER.parse(source).weights.items()}


def error_message(source: ModelSource) -> str:
    with pytest.raises(ModelParseError) as caught:
        PARSER.parse(source)
    return str(caught.value)


COMBINED_NAMES = [
    ("__model__", "__params__"),
    ("__model__", "params"),
    ("model", "params"),
    ("__model__", "weights"),
    ("model.pdmodel", "model.pdiparams"),
    ("inference.pdmodel", "inference.pdiparams"),
    ("any.name.pdmodel", "any.name.pdiparams"),
    ("net.pdmodel", "__params__"),
]
GOOD = {"W": [1, 2], "a/b": [7]}


@pytest.mark.parametrize(("model", "params"), COMBINED_NAMES)
def test_combined_files_are_found(tmp_path: Path, model: str, params: str) -> None:
    write(tmp_path, **{model: PROGRAM, params: PARAMS, "inference.pdiparams.info": b"x"})
    assert weights(ModelSource(tmp_path)) == GOOD
    assert weights(ModelSource(tmp_path / model)) == GOOD
    assert weights(ModelSource(tmp_path / model, tmp_path / params)) == GOOD


@pytest.mark.parametrize("model", ["__model__", "model.pdmodel", "any.pdmodel"])
def test_separate_files_are_found(tmp_path: Path, model: str) -> None:
    write(tmp_path, **{model: PROGRAM, "W": STREAM_W, "a/b": STREAM_A, "unused": b"x"})
    assert weights(ModelSource(tmp_path)) == GOOD
    assert weights(ModelSource(tmp_path / model)) == GOOD


def test_explicit_paths_may_have_any_name(tmp_path: Path) -> None:
    write(tmp_path, first=PROGRAM, second=PARAMS)
    assert weights(ModelSource(tmp_path / "first", tmp_path / "second")) == GOOD


def test_weights_of_buffers_are_read_only(tmp_path: Path) -> None:
    source = ModelSource(model=PROGRAM, params=PARAMS)
    assert weights(source) == GOOD
    assert not any(weight.array.flags.writeable for weight in PARSER.parse(source).weights.values())
    write(tmp_path, p=PARAMS)
    assert weights(ModelSource(model=PROGRAM, params_path=tmp_path / "p")) == GOOD


def test_a_model_without_weights_needs_no_file(tmp_path: Path) -> None:
    write(tmp_path, **{"a.pdmodel": EMPTY})
    assert weights(ModelSource(tmp_path)) == {}
    assert weights(ModelSource(model=EMPTY)) == {}
    assert weights(ModelSource(model=EMPTY, params=b"")) == {}
    write(tmp_path, **{"a.pdiparams": b""})
    assert weights(ModelSource(tmp_path)) == {}


def test_the_source_of_the_program_is_the_file(tmp_path: Path) -> None:
    write(tmp_path, **{"a.pdmodel": EMPTY})
    assert PARSER.parse(ModelSource(tmp_path)).source == str(tmp_path / "a.pdmodel")
    assert PARSER.parse(ModelSource(model=EMPTY)).source == f"model buffer of {len(EMPTY)} bytes"


def root_buffer(array: np.ndarray) -> object:
    """The object at the end of the chain of views."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base.obj if isinstance(base, memoryview) else base


@pytest.mark.parametrize("combined", [True, False])
def test_each_file_of_weights_is_mapped_once(tmp_path: Path, combined: bool) -> None:
    files = {"__params__": PARAMS} if combined else {"W": STREAM_W, "a/b": STREAM_A}
    write(tmp_path, **{"__model__": PROGRAM, **files})
    arrays = [weight.array for weight in PARSER.parse(ModelSource(tmp_path)).weights.values()]
    assert [array.flags.writeable for array in arrays] == [False, False]
    assert [type(root_buffer(array)) for array in arrays] == [mmap.mmap, mmap.mmap]
    assert len({id(root_buffer(array)) for array in arrays}) == len(files)


def test_at_most_256_separate_files_are_mapped(tmp_path: Path) -> None:
    names = [f"w{index}" for index in range(600)]
    program = w.block(0, -1, *[w.weight(name) for name in names])
    write(tmp_path, __model__=program, **dict.fromkeys(names, STREAM_W))
    loaded = PARSER.parse(ModelSource(tmp_path)).weights
    kinds = [type(root_buffer(weight.array)) for weight in loaded.values()]
    assert (len(kinds), kinds.count(mmap.mmap), kinds.count(bytes)) == (600, 256, 344)


def test_a_huge_file_is_mapped_and_not_read(tmp_path: Path) -> None:
    """The weight is 1 TiB of a sparse file: reading it, or allocating it, would fail."""
    size = 2**38
    write(tmp_path, **{"a.pdmodel": w.block(0, -1, w.weight("W", 5, (size,)))})
    head = w.stream(b"", 5, (size,))
    try:
        with open(tmp_path / "a.pdiparams", "wb") as file:
            file.write(head)
            file.truncate(len(head) + 4 * size)
    except OSError:
        pytest.skip("the file system has no sparse files of 1 TiB")
    try:
        array = PARSER.parse(ModelSource(tmp_path)).weights["W"].array
    except ModelParseError as error:
        pytest.skip(f"the system maps no file of 1 TiB: {error}")
    assert (array.shape, array[-1]) == ((size,), 0)


@pytest.mark.skipif(not REAL, reason="the shared models are not beside this checkout")
@pytest.mark.parametrize("model", REAL, ids=lambda path: path.name)
def test_real_models_are_saved_byte_for_byte(model: Path, tmp_path: Path) -> None:
    program = PARSER.parse(ModelSource(model))
    PARSER.save(program, tmp_path / "c", combined=True)
    PARSER.save(program, tmp_path / "s", combined=False)
    for name in ("inference.pdmodel", "inference.pdiparams"):
        assert (tmp_path / "c" / name).read_bytes() == (model / name).read_bytes()
    assert (tmp_path / "s/__model__").read_bytes() == (model / "inference.pdmodel").read_bytes()
    separate = PARSER.parse(ModelSource(tmp_path / "s"))
    assert list(separate.weights) == list(program.weights)
    for name, weight in program.weights.items():
        again = separate.weights[name]
        assert (again.array.dtype, again.array.shape, again.lod) == (
            weight.array.dtype,
            weight.array.shape,
            weight.lod,
        )
        assert again.array.tobytes() == weight.array.tobytes()


HINT = (
    "the parameters may belong to another export of this model, or the file may be cut short: take program "
    "and parameters from one export"
)


@pytest.mark.parametrize(
    ("program", "params", "message"),
    [
        (
            PROGRAM,
            PARAMS[:-1],
            "'a/b' (2 of 2, at byte 32): int64 elements of shape [1] at byte 56 need 8 bytes, got 7",
        ),
        (
            PROGRAM,
            STREAM_W,
            (
                "'a/b' (2 of 2, at byte 32): the data ends at byte 32, expected 4 bytes for the version of "
                "the stream at byte 32"
            ),
        ),
        (
            PROGRAM,
            STREAM_A + STREAM_W,
            "'W' (1 of 2, at byte 0): expected element type float32, as the program declares, got int64",
        ),
        (
            PROGRAM,
            w.stream(w.floats(1, 2, 3), dims=(3,)) + STREAM_A,
            "'W' (1 of 2, at byte 0): expected dims [2], as the program declares, got [3]",
        ),
    ],
)
def test_parameters_of_another_model_are_refused(program: bytes, params: bytes, message: str) -> None:
    assert error_message(ModelSource(model=program, params=params)) == (
        f"params buffer of {len(params)} bytes: variable {message}; {HINT}"
    )


def test_bytes_after_the_last_parameter_are_refused() -> None:
    assert error_message(ModelSource(model=PROGRAM, params=PARAMS + b"more")) == (
        f"params buffer of {len(PARAMS) + 4} bytes: expected the end of the file at byte {len(PARAMS)}, "
        f"after all 2 parameters of the program, got 4 more bytes; {HINT}"
    )


def test_swapped_model_and_params_are_recognised(tmp_path: Path) -> None:
    message = (
        "is a Paddle parameter stream, expected a Paddle program; were the model and params files swapped?"
    )
    source = ModelSource(model=PARAMS, params=PROGRAM)
    assert PARSER.sniff(source)
    assert error_message(source) == f"{source}: {message}"
    write(tmp_path, **{"m": PARAMS, "p": PROGRAM})
    assert error_message(ModelSource(tmp_path / "m", tmp_path / "p")) == f"{tmp_path / 'm'}: {message}"


def test_a_program_in_place_of_the_parameters_is_recognised() -> None:
    assert error_message(ModelSource(model=PROGRAM, params=PROGRAM)).endswith(
        "; this is a program, not a parameter stream: were the model and params files swapped?"
    )


@pytest.mark.parametrize(("params", "what"), [(b"", "is empty"), (b"\xff" * 99, "is neither a Paddle")])
def test_parameters_of_an_unknown_format_are_refused(params: bytes, what: str) -> None:
    message = error_message(ModelSource(model=PROGRAM, params=params))
    assert "variable 'W' (1 of 2, at byte 0)" in message
    assert f"; this {what}" in message
    assert message.endswith("give the parameters that were exported with the program")


def test_missing_parameter_files_are_listed(tmp_path: Path) -> None:
    write(tmp_path, **{"a.pdmodel": PROGRAM})
    assert error_message(ModelSource(tmp_path)) == (
        f"{tmp_path / 'a.pdmodel'}: the program has parameters, but there is no parameter file beside it; "
        f"looked in {tmp_path} for a.pdiparams, __params__, params, weights, model.pdiparams, "
        f"inference.pdiparams and {tmp_path / 'W'} (separate form); name the parameters as params_file"
    )


def test_a_model_buffer_with_weights_needs_parameters() -> None:
    assert error_message(ModelSource(model=PROGRAM)) == (
        f"model buffer of {len(PROGRAM)} bytes: the program has 2 parameters (first: 'W') but no parameters "
        "were given; give params_buffer or params_file"
    )


def test_a_missing_separate_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, __model__=PROGRAM, W=STREAM_W)
    assert error_message(ModelSource(tmp_path)) == (
        f"{tmp_path}: 1 of 2 parameter files are missing: 'a/b'; copy the whole directory, or name the "
        "combined file as params_file"
    )


def test_a_malformed_separate_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, **{"__model__": PROGRAM, "W": STREAM_W, "a/b": STREAM_A[:-8]})
    assert error_message(ModelSource(tmp_path)).startswith(
        f"{tmp_path / 'a/b'}: variable 'a/b' (1 of 1, at byte 0): int64 elements of shape [1] at byte 24 need"
    )


@pytest.mark.parametrize("name", ["../outside", "a/../../outside", "/etc/hostname"])
def test_names_that_leave_the_directory_are_not_read(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "m"
    inside.mkdir()
    write(tmp_path, outside=STREAM_W)
    write(inside, __model__=w.block(0, -1, w.weight("A"), w.weight(name)), A=STREAM_W)
    assert f"the variable name {name!r} is not a path inside" in error_message(ModelSource(inside))
    write(inside, __model__=w.block(0, -1, w.weight(name)), __params__=STREAM_W)
    assert weights(ModelSource(inside)) == {name: [1, 2]}


def test_a_directory_with_several_programs_is_refused(tmp_path: Path) -> None:
    write(tmp_path, **{"b.pdmodel": EMPTY, "a.pdmodel": EMPTY})
    assert error_message(ModelSource(tmp_path)) == (
        f"{tmp_path}: 2 programs here: a.pdmodel, b.pdmodel; name one as model_file"
    )


def test_a_directory_without_a_program_is_refused(tmp_path: Path) -> None:
    write(tmp_path, **{"net.onnx": b"x"})
    assert not PARSER.sniff(ModelSource(tmp_path))
    assert error_message(ModelSource(tmp_path)) == (
        f"{tmp_path}: no Paddle program here; looked for __model__, model, model.pdmodel, inference.pdmodel, "
        "inference.json, model.json, *.pdmodel, *.json; found net.onnx"
    )


def test_a_near_name_of_a_missing_file_is_suggested(tmp_path: Path) -> None:
    write(tmp_path, **{"inference.pdmodel": EMPTY})
    path = tmp_path / "inferense.pdmodel"
    assert not PARSER.sniff(ModelSource(path))
    assert error_message(ModelSource(path)) == (
        f"{path}: no such file or directory; did you mean 'inference.pdmodel'?; check the path"
    )
    missing = tmp_path / "no/where"
    assert error_message(ModelSource(missing)) == f"{missing}: no such file or directory; check the path"


def test_a_directory_in_place_of_the_parameters_is_refused(tmp_path: Path) -> None:
    write(tmp_path, m=PROGRAM)
    assert error_message(ModelSource(tmp_path / "m", tmp_path)) == (
        f"{tmp_path}: is a directory, expected a file; name the file in it"
    )


def test_a_path_through_a_file_or_with_a_zero_byte_is_refused(tmp_path: Path) -> None:
    write(tmp_path, m=PROGRAM)
    for path in (tmp_path / "m/x", tmp_path / "a\0b"):
        assert not PARSER.sniff(ModelSource(path))
        assert error_message(ModelSource(path)).startswith(f"{path}: cannot be read: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert not PARSER.sniff(ModelSource(path))
    assert error_message(ModelSource(path)) == f"{path}: is not a regular file; save the model to one"


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, m=PROGRAM, p=PARAMS)

    def refuse(file: object, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(file))

    monkeypatch.setattr("os.open", refuse)  # root may read everything
    message = "Permission denied; check its permissions"
    assert not PARSER.sniff(ModelSource(tmp_path / "m"))
    assert error_message(ModelSource(tmp_path / "m")) == f"{tmp_path / 'm'}: cannot be read: {message}"
    assert error_message(ModelSource(model=PROGRAM, params_path=tmp_path / "p")) == (
        f"{tmp_path / 'p'}: cannot be mapped: {message}"
    )


def test_empty_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, **{"a.pdmodel": b""})
    assert PARSER.sniff(ModelSource(tmp_path))
    assert error_message(ModelSource(tmp_path)).startswith(
        f"{tmp_path / 'a.pdmodel'}: is empty, expected a Paddle program"
    )
    write(tmp_path, **{"a.pdmodel": PROGRAM, "a.pdiparams": b""})
    assert "the data ends at byte 0" in error_message(ModelSource(tmp_path))


def test_a_source_without_path_and_bytes_is_refused() -> None:
    assert not PARSER.sniff(ModelSource())
    assert error_message(ModelSource()) == "the model source has neither a path nor bytes; give one of them"


@pytest.mark.parametrize(
    "data", [b"", b"\x08\x08\x12\x01x", b"7767517\n1 1\n", b"PK\x03\x04", b"#!/bin/sh\n"]
)
def test_other_formats_are_not_recognised(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, **{"x.pdmodel": data})
    assert not PARSER.sniff(ModelSource(tmp_path / "x.pdmodel"))
    assert not PARSER.sniff(ModelSource(model=data))
