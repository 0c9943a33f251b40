"""PIR models in files and buffers, and their parameters."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.compat import paddle_inference
from lite.errors import LiteError, ModelParseError
from lite.ir.types import Array
from lite.model_parser.paddle.parser import PaddleParser
from lite.plugin.format import ModelSource
from tests.model_parser.paddle.pir.builder import PirBuilder, check_equal, noise
from tests.model_parser.paddle.pir.mutations import damaged_bytes, damaged_items
from tests.model_parser.paddle.pir.ops.test_control import branch_program, loop_program

PARSER = PaddleParser()
X = noise(2, 3)


def model(**weights: Array) -> PirBuilder:
    """An input plus some parameters."""
    builder = PirBuilder()
    out = builder.data("x", X)
    for name, array in weights.items():
        out = builder.one("add", out, builder.parameter(name, array))
    return builder.fetch(out)


def write(folder: Path, builder: PirBuilder, name: str = "inference") -> None:
    """Write both files of a model."""
    (folder / f"{name}.json").write_bytes(builder.json())
    (folder / f"{name}.pdiparams").write_bytes(builder.params())


def message(source: ModelSource) -> str:
    """The error for a model."""
    with pytest.raises(ModelParseError) as caught:
        PARSER.parse(source)
    return str(caught.value)


@pytest.mark.parametrize("name", ["inference", "model", "other"])
def test_a_directory_or_a_file_is_read_with_the_parameters_beside_it(tmp_path: Path, name: str) -> None:
    builder = model(b=noise(3, seed=1), a=noise(3, seed=2))
    write(tmp_path, builder, name)
    for path in (tmp_path, tmp_path / f"{name}.json"):
        assert PARSER.sniff(ModelSource(path))
        program = lite.load_program(path)
        assert program.files == [str(tmp_path / f"{name}.{suffix}") for suffix in ("json", "pdiparams")]
        output = lite.create_predictor(lite.Config(path)).run({"x": X})["fetch_name_0"]
        check_equal(output, X + noise(3, seed=1) + noise(3, seed=2))


def test_files_are_named_one_by_one(tmp_path: Path) -> None:
    builder = model(w=noise(3))
    write(tmp_path, builder, "a")
    (tmp_path / "a.pdiparams").rename(tmp_path / "weights.bin")
    config = lite.Config(model_file=tmp_path / "a.json", params_file=tmp_path / "weights.bin")
    check_equal(lite.create_predictor(config).run({"x": X})["fetch_name_0"], X + noise(3))


def test_paddle_inference_takes_a_directory_two_files_or_a_prefix(tmp_path: Path) -> None:
    write(tmp_path, model(w=noise(3)))
    files = (str(tmp_path / "inference.json"), str(tmp_path / "inference.pdiparams"))
    for arguments in ((str(tmp_path),), files, (str(tmp_path), "inference")):
        predictor = paddle_inference.create_predictor(paddle_inference.Config(*arguments))
        assert predictor.get_input_names() == ["x"]
        predictor.get_input_handle("x").copy_from_cpu(X)
        predictor.run()
        check_equal(predictor.get_output_handle("fetch_name_0").copy_to_cpu(), X + noise(3))


def test_a_classic_program_takes_precedence_in_a_directory(tmp_path: Path) -> None:
    write(tmp_path, model(), "model")
    lite.save_program(lite.load_program(tmp_path), tmp_path)
    assert lite.load_program(tmp_path).files[0] == str(tmp_path / "inference.pdmodel")


def test_a_model_without_parameters_has_no_parameter_file(tmp_path: Path) -> None:
    (tmp_path / "inference.json").write_bytes(model().json())
    assert lite.load_program(tmp_path).files == [str(tmp_path / "inference.json")]


def test_json_that_is_not_pir_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"magic": "pir"}')
    assert not PARSER.sniff(ModelSource(tmp_path))
    assert not PARSER.sniff(ModelSource(model=b'{"magic": "pir"}'))


def test_a_missing_parameter_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, model(w=noise(3)))
    (tmp_path / "inference.pdiparams").unlink()
    path = tmp_path / "inference.json"
    assert message(ModelSource(tmp_path)).startswith(
        f"{path}: the program has parameters, but there is no parameter file beside it; "
        f"looked in {tmp_path} for inference.pdiparams"
    )


def test_a_parameter_that_the_file_lacks_is_named() -> None:
    builder = model(v=noise(3), w=noise(3))
    params = model(v=noise(3)).params()
    text = message(ModelSource(model=builder.json(), params=params))
    assert text.startswith(
        f"params buffer of {len(params)} bytes: variable 'w' (2 of 2, at byte {len(params)}): "
    )
    assert "take program and parameters from one export" in text


def test_more_parameters_than_the_program_has_are_refused() -> None:
    params = model(v=noise(3), w=noise(3)).params()
    text = message(ModelSource(model=model(v=noise(3)).json(), params=params))
    assert "expected the end of the file at byte" in text


def test_a_parameter_of_another_shape_is_refused() -> None:
    text = message(ModelSource(model=model(v=noise(3)).json(), params=model(v=noise(4)).params()))
    assert "variable 'v' (1 of 1, at byte 0): expected dims [3], as the program declares, got [4]" in text


def test_parameters_stored_as_float16_become_float32() -> None:
    half = noise(3).astype(np.float16)
    source = ModelSource(model=model(v=noise(3)).json(), params=model(v=half).params())
    weight = PARSER.parse(source).weights["v"].array
    check_equal(weight, half.astype(np.float32))
    assert not weight.flags.writeable


def test_parameters_stored_as_integers_are_refused() -> None:
    params = model(v=np.arange(3, dtype=np.int32)).params()
    text = message(ModelSource(model=model(v=noise(3)).json(), params=params))
    assert "parameter 'v': expected element type float32, as the program declares, got int32" in text


def test_a_parameter_that_is_not_persistable_is_not_in_the_file() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    builder.fetch(builder.one("add", x, builder.parameter("state", noise(3), persistable=False)))
    assert builder.params() == b""
    check_equal(builder.run(x=X)[0], X)


def problems(documents: list[bytes], params: bytes) -> list[LiteError]:
    """The errors of models; any other exception fails the test."""
    errors = []
    for data in documents:
        try:
            config = lite.Config(model_buffer=data, params_buffer=params or None)
            lite.create_predictor(config)
        except LiteError as error:
            errors.append(error)
    return errors


SMALL = {"branch": branch_program(), "loop": loop_program(), "sum": model(v=noise(3))}


def damaged(builder: PirBuilder, seed: int, count: int) -> list[bytes]:
    """Damaged files of a program, a quarter of them with changed bytes."""
    source, document, text = random.Random(seed), builder.document(), builder.json()
    return [damaged_items(source, document) if n % 4 else damaged_bytes(source, text) for n in range(count)]


@pytest.mark.parametrize("name", SMALL)
def test_damaged_models_load_or_are_refused(name: str) -> None:
    builder = SMALL[name]
    errors = problems(damaged(builder, 1, 300), builder.params())
    assert 150 < len(errors) < 300


@pytest.mark.parametrize("name", SMALL)
def test_a_damaged_program_takes_little_memory(name: str, memory: None) -> None:
    builder = SMALL[name]
    source = [ModelSource(model=data, params=builder.params()) for data in damaged(builder, 2, 300)]
    for each in source:
        with contextlib.suppress(ModelParseError):
            PARSER.parse(each)


def test_damaged_parameters_load_or_are_refused() -> None:
    builder = model(v=noise(3), w=noise(2, 3))
    params = builder.params()
    source = random.Random(2)
    for _ in range(200):
        errors = problems([builder.json()], damaged_bytes(source, params))
        assert [error for error in errors if not isinstance(error, ModelParseError)] == []


def test_the_document_is_read_whatever_the_order_of_its_keys() -> None:
    builder = model()
    document = builder.document()
    data = json.dumps(document, sort_keys=True, indent=1).encode()
    assert PARSER.sniff(ModelSource(model=data))
    assert (
        PARSER.parse(ModelSource(model=data)).blocks == PARSER.parse(ModelSource(model=builder.json())).blocks
    )
