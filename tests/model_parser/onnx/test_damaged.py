"""A damaged model gives a program or `ModelParseError`, and takes little memory."""

from __future__ import annotations

import random

from lite.errors import ModelParseError
from lite.model_parser.onnx.parser import OnnxParser
from lite.plugin.format import ModelSource
from tests.model_parser.onnx.mutations import damaged_bytes, damaged_fields
from tests.model_parser.onnx.small_onnx import small_models

PARSER = OnnxParser()
MODELS = small_models()


def problem(data: bytes) -> str | None:
    """The message of the ModelParseError, or None where the model loads."""
    try:
        PARSER.parse(ModelSource(model=data))
    except ModelParseError as error:
        return str(error)
    return None


def check(models: list[bytes]) -> None:
    """Assert that some models load and that the messages of the others name the model."""
    problems = [text for text in map(problem, models) if text is not None]
    assert 0 < len(problems) < len(models)
    assert [text for text in problems if not text.startswith("model buffer of ")] == []


def test_the_undamaged_models_load() -> None:
    assert {problem(model.SerializeToString()) for model in MODELS.values()} == {None}


def test_damaged_bytes_load_or_are_refused(memory: None) -> None:
    source = random.Random(1)
    whole = [model.SerializeToString() for model in MODELS.values()]
    check([damaged_bytes(source, data) for data in whole for _ in range(100)])


def test_damaged_fields_load_or_are_refused(memory: None) -> None:
    source = random.Random(2)
    check([damaged_fields(source, m).SerializeToString() for m in MODELS.values() for _ in range(150)])


def test_random_bytes_are_refused(memory: None) -> None:
    source = random.Random(3)
    assert None not in {problem(b"\x08\x08" + source.randbytes(length)) for length in range(100)}
