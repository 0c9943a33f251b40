"""The parser: sources that it recognises, and the files and buffers that it reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.model_parser.pnnx.parser import PnnxParser
from lite.plugin.format import ModelSource
from tests.model_parser.pnnx.models import archive, param

PARSER = PnnxParser()
WEIGHT = np.array([[2.0, 0.0], [0.0, 3.0]], np.float32)
TEXT = param(
    [
        "pnnx.Input i 0 1 x #x=(1,2)f32",
        "nn.Linear fc 1 1 x y in_features=2 @weight=(2,2)f32",
        "pnnx.Output o 1 0 y",
    ]
)
WEIGHTS = archive({"fc.weight": WEIGHT}, zip64=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.pnnx.param").write_text(TEXT)
    (tmp_path / "m.pnnx.bin").write_bytes(WEIGHTS)
    return tmp_path


def is_loaded(config: lite.Config) -> bool:
    """Whether the model of a config computes the outputs of the model above."""
    outputs = lite.create_predictor(config).run({"x": np.ones((1, 2), np.float32)})
    return {name: array.tolist() for name, array in outputs.items()} == {"y": [[2.0, 3.0]]}


def test_weights_beside_the_operator_list_are_found(folder: Path) -> None:
    assert is_loaded(lite.Config(folder / "m.pnnx.param"))


def test_a_folder_with_one_model_is_read(folder: Path) -> None:
    assert is_loaded(lite.Config(folder))


def test_weights_with_another_name_are_read(folder: Path) -> None:
    moved = (folder / "m.pnnx.bin").rename(folder / "other.zip")
    assert is_loaded(lite.Config(model_file=folder / "m.pnnx.param", params_file=moved))


def test_an_operator_list_with_another_name_is_read(folder: Path) -> None:
    model = (folder / "m.pnnx.param").rename(folder / "model")
    assert is_loaded(lite.Config(model_file=model, params_file=folder / "m.pnnx.bin"))


def test_a_model_in_buffers_is_read() -> None:
    assert is_loaded(lite.Config(model_buffer=TEXT.encode(), params_buffer=WEIGHTS))


def test_the_content_is_recognised(folder: Path) -> None:
    assert PARSER.sniff(ModelSource(folder))
    assert PARSER.sniff(ModelSource(folder / "m.pnnx.param"))
    assert PARSER.sniff(ModelSource(model=TEXT.encode()))
    assert not PARSER.sniff(ModelSource(folder / "m.pnnx.bin"))
    assert not PARSER.sniff(ModelSource(folder / "absent"))
    assert not PARSER.sniff(ModelSource(model=b"\x0a\x00"))
    assert not PARSER.sniff(ModelSource())


def test_a_folder_with_two_models_is_refused(folder: Path) -> None:
    (folder / "n.pnnx.param").write_text(TEXT)
    assert not PARSER.sniff(ModelSource(folder))
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    expected = "expected one *.pnnx.param file, got m.pnnx.param, n.pnnx.param; name it as model_file"
    assert str(error.value) == f"{folder}: {expected}"


def test_a_missing_archive_is_refused(folder: Path) -> None:
    (folder / "m.pnnx.bin").unlink()
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    assert str(error.value) == (
        f"{folder / 'm.pnnx.param'}: line 4: nn.Linear 'fc': has weight @weight, but there is no weights "
        "file; put the .bin beside the .param or name it as params_file"
    )


def test_a_weight_of_another_size_is_refused(folder: Path) -> None:
    (folder / "m.pnnx.bin").write_bytes(archive({"fc.weight": WEIGHT[:1]}))
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    assert str(error.value) == (
        f"{folder / 'm.pnnx.param'}: line 4: nn.Linear 'fc': weight @weight: "
        f"{folder / 'm.pnnx.bin'}: entry 'fc.weight': 8 bytes, expected 16"
    )


def test_an_empty_archive_is_refused(folder: Path) -> None:
    (folder / "m.pnnx.bin").write_bytes(b"")
    with pytest.raises(ModelParseError, match=r"no end of a ZIP archive in 0 bytes"):
        PARSER.parse(ModelSource(folder))


def test_missing_files_are_refused(folder: Path) -> None:
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory; check the path"):
        PARSER.parse(ModelSource(folder / "absent"))
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory; check the path"):
        PARSER.parse(ModelSource(folder / "m.pnnx.param", params_path=folder / "absent"))
    with pytest.raises(ModelParseError, match=r"neither a path nor bytes"):
        PARSER.parse(ModelSource())


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(
        ModelParseError, match=r"^model buffer of 9 bytes: expected text, but byte 8 is not UTF-8$"
    ):
        PARSER.parse(ModelSource(model=b"7767517\n\xff"))


def test_weights_are_views_of_the_buffer() -> None:
    program = PARSER.parse(
        ModelSource(model=TEXT.replace("nn.Linear", "pnnx.Attribute").encode(), params=WEIGHTS)
    )
    array = program.weights["fc.weight"].array
    offset = WEIGHTS.index(WEIGHT.tobytes())
    assert np.shares_memory(array, np.frombuffer(WEIGHTS, np.uint8)) == (offset % 4 == 0)


def test_saving_is_refused(folder: Path) -> None:
    with pytest.raises(ModelParseError, match=r"programs cannot be saved as PNNX; save as paddle"):
        lite.save_program(lite.load_program(folder), folder / "out", format="pnnx")


def test_a_model_can_be_saved_as_paddle(folder: Path) -> None:
    lite.save_program(lite.load_program(folder), folder / "out")
    assert is_loaded(lite.Config(folder / "out"))
