"""A damaged model loads or raises ModelParseError, and takes little memory."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.model_parser.pnnx.parser import PnnxParser
from lite.plugin.format import ModelSource
from tests.model_parser.pnnx.models import archive, noise, param

LINES = [
    "pnnx.Input in0 0 1 0 #0=(1,4,6,6)f32",
    "pnnx.Input in1 0 1 1 #1=(?,3)i64",
    "pnnx.Attribute at 0 1 2 @data=(4)f32",
    (
        "nn.Conv2d conv 1 1 0 3 bias=True dilation=(1,1) groups=2 kernel_size=(3,3) padding=(1,1) "
        "padding_mode=reflect stride=(2,2) @bias=(4)f32 @weight=(4,2,3,3)f32 $input=0 #3=(1,4,3,3)f32"
    ),
    "nn.MaxPool2d pool 1 1 3 4 ceil_mode=True dilation=(1,1) kernel_size=(2,2) padding=(0,0) stride=None",
    "pnnx.Expression size 1 1 0 5 expr=[size(@0,0),mul(2,2),-1]",
    "Tensor.reshape re 2 1 4 5 6 $input=4 $shape=5",
    "torch.split sp 1 2 6 7 8 dim=1 split_size_or_sections=(1,3)",
    (
        "Tensor.slice sl 1 1 8 9 dims=(1,2) starts=(0,1) ends=(-1,2147483647) steps=(1,1) "
        "selects=(2147483647,2147483647)"
    ),
    "F.pad pad 1 1 9 10 mode=constant pad=(1,2) value=-inf",
    "torch.amax max 1 1 10 11 dim=(1,2) keepdim=False",
    (
        "nn.LSTM lstm 1 3 8 12 13 14 batch_first=True bias=False hidden_size=2 input_size=4 num_layers=1 "
        "@weight_hh_l0=(8,2)f32 @weight_ih_l0=(8,4)f32"
    ),
    "torch.einsum ein 2 1 12 12 15 equation=bij,bkj->bik",
    "F.upsample up 1 1 3 16 align_corners=False mode=bilinear size=(5,7)",
    "nn.PixelShuffle ps 1 1 16 17 upscale_factor=2",
    "Tensor.index ix 1 1 2 18 expr=[[2,0,1]]",
    "pnnx.Expression ex 2 1 11 18 19 expr=add(sqrt(abs(@0)),fmod(@1,2.5))",
    "torch.topk top 1 2 18 20 21 dim=0 k=2 largest=True sorted=True",
    "nn.LayerNorm ln 1 1 17 22 eps=1.000000e-5 normalized_shape=(14)",
    (
        "F.scaled_dot_product_attention att 3 1 12 12 12 23 attn_mask=None is_causal=True "
        "$query=12 $key=12 $value=12"
    ),
    "torch.gather ga 2 1 1 1 24 dim=1 $input=1 $index=1",
    "prim::TupleConstruct tuple 6 1 15 19 20 22 23 24 25",
    "pnnx.Output out 1 0 25",
]
WEIGHTS = {
    "at.data": noise(4),
    "conv.weight": noise(4, 2, 3, 3),
    "conv.bias": noise(4),
    "lstm.weight_hh_l0": noise(8, 2),
    "lstm.weight_ih_l0": noise(8, 4),
}
TEXT = param(LINES)
WORDS = [
    "None",
    "0",
    "-1",
    "2147483647",
    "()",
    "(1)",
    "(0,0)",
    "(1,2,3)",
    "nan",
    "inf",
    "True",
    "x",
    "1e400",
    "99999999999999999999",
    "(-5,7)",
    "zeros",
    "@0",
    "(?,3)f32",
    "@9",
    "[[",
    "torch.half",
    "1.5",
    "(x,y)",
    "neg(",
    "[@0,1]",
]
PARSER = PnnxParser()


def load(model: bytes, params: bytes) -> bool:
    """Whether the model loads; the parser may raise nothing but ModelParseError."""
    source = ModelSource(model=model, params=params)
    PARSER.sniff(source)
    try:
        PARSER.parse(source)
    except ModelParseError:
        return False
    return True


def damaged_text(source: random.Random) -> str:
    """The operator list with words replaced, removed, moved, or changed."""
    lines = [line.split() for line in TEXT.splitlines()]
    for _ in range(source.randint(1, 3)):
        words = source.choice(lines)
        n = source.randrange(len(words)) if words else 0
        kind = source.randrange(5)
        key, equals, value = words[n].partition("=") if words else ("", "", "")
        if not words or kind == 0:
            words.append(source.choice(source.choice(lines) or ["0"]))
        elif kind == 1:
            words[n] = f"{key}={source.choice(WORDS)}" if equals else source.choice(WORDS)
        elif kind == 2:
            del words[n]
        elif kind == 3:
            index = source.randrange(len(value) + 1)
            words[n] = (
                f"{key}{equals}{value[:index]}{source.choice('0123456789-(),.?@[]e')}{value[index + 1 :]}"
            )
        else:
            words[0] = (source.choice(lines) or ["pnnx.Output"])[0]
    return "\n".join(" ".join(words) for words in lines)


def damaged_bytes(source: random.Random, data: bytes) -> bytes:
    """`data` with some bytes replaced, and sometimes truncated."""
    out = bytearray(data)
    for _ in range(source.randint(1, 4)):
        first = source.choice([0, max(len(out) - 600, 0)])
        out[source.randrange(first, len(out))] = source.choice([0, 1, 80, 255, source.randrange(256)])
    return bytes(out[: source.randrange(len(out))]) if source.random() < 0.3 else bytes(out)


def test_the_undamaged_model_loads() -> None:
    for zip64 in (False, True):
        assert load(TEXT.encode(), archive(WEIGHTS, zip64=zip64))


def test_damaged_operator_lists_load_or_are_refused(memory: None) -> None:
    weights = archive(WEIGHTS)
    source = random.Random(1)
    loaded = sum(load(damaged_text(source).encode(), weights) for _ in range(600))
    assert 0 < loaded < 600


@pytest.mark.parametrize("zip64", [False, True])
def test_damaged_archives_load_or_are_refused(memory: None, zip64: bool) -> None:
    weights = archive(WEIGHTS, zip64=zip64)
    source = random.Random(2)
    loaded = sum(load(TEXT.encode(), damaged_bytes(source, weights)) for _ in range(200))
    assert 0 < loaded < 200


def test_random_bytes_load_or_are_refused(memory: None) -> None:
    source = np.random.default_rng(3)
    for length in range(64):
        data = source.integers(0, 256, length, np.uint8).tobytes()
        with contextlib.suppress(ModelParseError):
            PARSER.parse(ModelSource(model=b"7767517\n" + data, params=data))


def test_a_huge_shape_is_refused(memory: None) -> None:
    lines = ["pnnx.Attribute a 0 1 x @data=(999999999999,999999999999)f32", "pnnx.Output o 1 0 x"]
    assert not load(param(lines).encode(), archive({"a.data": noise(2)}))
