"""PNNX's format as a plug-in: which sources are its own, and where the weights come from."""

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


def doubled(config: lite.Config) -> bool:
    """Whether the model of a config is the one above."""
    outputs = lite.create_predictor(config).run({"x": np.ones((1, 2), np.float32)})
    return {name: array.tolist() for name, array in outputs.items()} == {"y": [[2.0, 3.0]]}


def test_a_file_with_its_weights_beside_it(folder: Path) -> None:
    assert doubled(lite.Config(folder / "m.pnnx.param"))


def test_a_folder_with_one_pair(folder: Path) -> None:
    assert doubled(lite.Config(folder))


def test_weights_elsewhere(folder: Path) -> None:
    moved = (folder / "m.pnnx.bin").rename(folder / "other.zip")
    assert doubled(lite.Config(model_file=folder / "m.pnnx.param", params_file=moved))


def test_any_name(folder: Path) -> None:
    model = (folder / "m.pnnx.param").rename(folder / "model")
    assert doubled(lite.Config(model_file=model, params_file=folder / "m.pnnx.bin"))


def test_buffers() -> None:
    assert doubled(lite.Config(model_buffer=TEXT.encode(), params_buffer=WEIGHTS))


def test_what_it_takes_for_its_own(folder: Path) -> None:
    assert PARSER.sniff(ModelSource(folder))
    assert PARSER.sniff(ModelSource(folder / "m.pnnx.param"))
    assert PARSER.sniff(ModelSource(model=TEXT.encode()))
    assert not PARSER.sniff(ModelSource(folder / "m.pnnx.bin"))
    assert not PARSER.sniff(ModelSource(folder / "absent"))
    assert not PARSER.sniff(ModelSource(model=b"\x0a\x00"))
    assert not PARSER.sniff(ModelSource())


def test_two_models_in_a_folder(folder: Path) -> None:
    (folder / "n.pnnx.param").write_text(TEXT)
    assert not PARSER.sniff(ModelSource(folder))
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    expected = "expected one *.pnnx.param file, got m.pnnx.param, n.pnnx.param; name it as model_file"
    assert str(error.value) == f"{folder}: {expected}"


def test_no_weights(folder: Path) -> None:
    (folder / "m.pnnx.bin").unlink()
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    assert str(error.value) == (
        f"{folder / 'm.pnnx.param'}: line 4: nn.Linear 'fc': has weight @weight, but there is no weights "
        "file; lay the .bin beside the .param or name it as params_file"
    )


def test_wrong_weights(folder: Path) -> None:
    (folder / "m.pnnx.bin").write_bytes(archive({"fc.weight": WEIGHT[:1]}))
    with pytest.raises(ModelParseError) as error:
        PARSER.parse(ModelSource(folder))
    assert str(error.value) == (
        f"{folder / 'm.pnnx.param'}: line 4: nn.Linear 'fc': weight @weight: "
        f"{folder / 'm.pnnx.bin'}: entry 'fc.weight': 8 bytes, expected 16"
    )


def test_empty_weights_file(folder: Path) -> None:
    (folder / "m.pnnx.bin").write_bytes(b"")
    with pytest.raises(ModelParseError, match=r"no end of a ZIP archive in 0 bytes"):
        PARSER.parse(ModelSource(folder))


def test_absent_files(folder: Path) -> None:
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory; check the path"):
        PARSER.parse(ModelSource(folder / "absent"))
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory; check the path"):
        PARSER.parse(ModelSource(folder / "m.pnnx.param", params_path=folder / "absent"))
    with pytest.raises(ModelParseError, match=r"neither a path nor bytes"):
        PARSER.parse(ModelSource())


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ModelParseError, match=r"^model buffer of 9 bytes: not text: byte 8 is not UTF-8$"):
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


def test_saved_as_paddle(folder: Path) -> None:
    lite.save_program(lite.load_program(folder), folder / "out")
    assert doubled(lite.Config(folder / "out"))
