"""Names and kinds of model files."""

from pathlib import Path

import pytest

from lite.errors import ModelParseError
from lite.model_parser.paddle.files import PREFIX, Content, detect_content, separate_file
from tests.model_parser.paddle import wire as w

PROGRAM = w.block(0, -1, *[w.op("relu", slots=w.slot(1, "X", "x")) for _ in range(400)])
ONNX = w.num(1, 8) + w.text(2, "pytorch") + w.msg(7, w.text(2, "graph"))


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (b"", Content.EMPTY),
        (PROGRAM, Content.PROGRAM),
        (w.block(0, -1), Content.PROGRAM),
        (w.stream(w.floats(1, 2)), Content.PARAMS),
        (w.stream(w.floats(1, 2), lod=((0, 1, 2), (0, 2))), Content.PARAMS),
        (w.stream(bytes(9000), dims=(2250,)), Content.PARAMS),
        (b'{"base_code":{"magic":"pir"}}', Content.PIR),
        (b'\xef\xbb\xbf\n {\n "base_code": {}}', Content.PIR),
        (b'{"other": 1}', Content.OTHER),
        (ONNX, Content.OTHER),
        (b"7767517\n3 3\nInput x 0 1 x\n", Content.OTHER),
        (b"\n\nText after empty lines, which begins like a block.", Content.OTHER),
        (b"\x80\x02}q\x00.", Content.OTHER),
        (bytes(4096), Content.OTHER),
    ],
)
def test_content_is_detected_from_all_bytes_and_from_the_prefix(data: bytes, content: Content) -> None:
    assert detect_content(data) is content
    assert detect_content(data[:PREFIX]) is content


@pytest.mark.parametrize("name", ["w", "conv2d_0.w_0", "save_infer_model/scale_0", "a..b", "...", "x@GRAD"])
def test_a_name_inside_the_directory_is_a_path(name: str) -> None:
    assert separate_file(Path("m"), name) == Path("m") / name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../w", "a/../../w", "/w", "//w/x", r"..\w", r"a\..\..\w", r"\w", "a\0b", "a/.."]
)
def test_a_name_that_leaves_the_directory_is_refused(name: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        separate_file(Path("m"), name)
    assert str(caught.value) == (
        f"m: the variable name {name!r} is not a path inside the model's directory, so it cannot have a "
        "parameter file of its own; use one combined parameter file"
    )
