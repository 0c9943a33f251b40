import pytest

from lite.model_parser.paddle.content import PREFIX, Content, tell
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
def test_tell(data: bytes, content: Content) -> None:
    assert tell(data) is content
    assert tell(data[:PREFIX]) is content
