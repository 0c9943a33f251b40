"""A damaged model loads or raises ModelParseError; any other outcome is a failure."""

import contextlib
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.model_parser.paddle.parser import PaddleParser
from lite.model_parser.paddle.read_program import read_program
from lite.model_parser.paddle.write_model import write_program
from lite.plugin.format import ModelSource
from tests.model_parser.paddle import wire as w

PROGRAM = (
    w.block(
        0,
        -1,
        w.weight("a", 3, (1,)),
        w.weight("b", 5, (-1, 2)),
        w.msg(3, w.text(1, "feed"), w.msg(2, w.num(1, 9)), w.num(3, 1)),
        w.op(
            "while",
            w.attr("sub_block", 8, w.num(12, 1)),
            w.attr("ints", 3, w.packed(6, 1, 2)),
            w.attr("name", 2, w.text(5, "n")),
            w.attr("s", 17, w.msg(21, w.num(1, 4), w.msg(5, w.f64(1, 1.0), w.f64(2, 2.0)))),
            slots=w.slot(1, "X", "a", "b") + w.slot(2, "Out", "y"),
        ),
    )
    + w.block(1, 0, w.op("relu", slots=w.slot(1, "X", "a")), w.num(100, 1))
    + w.msg(4, w.num(1, 0))
    + w.msg(5, w.msg(1, w.text(1, "relu"), w.msg(2, w.num(1, 1))))
)
PARAMS = w.stream(bytes(8), 3, (1,)) + w.stream(w.floats(1, 2, 3, 4), 5, (2, 2), ((0, 1, 2),))
PARSER = PaddleParser()


def load(model: bytes, params: bytes) -> Program | None:
    """The program, or None where the parser refuses the model."""
    source = ModelSource(model=model, params=params)
    PARSER.sniff(source)
    try:
        return PARSER.parse(source)
    except ModelParseError:
        return None


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with some ranges removed, doubled, or replaced by other bytes."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(out)))
        stop = draw(st.integers(start, min(len(out), start + 16)))
        out[start:stop] = draw(
            st.sampled_from([out[start:stop] * 2, b"", b"\xff" * (stop - start)]) | st.binary(max_size=9)
        )
    return bytes(out)


def test_the_undamaged_model_loads() -> None:
    program = load(PROGRAM, PARAMS)
    assert program is not None
    assert list(program.weights) == ["a", "b"]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(damaged(PROGRAM))
def test_a_damaged_program_loads_or_is_refused(model: bytes) -> None:
    load(model, PARAMS)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(damaged(PARAMS))
def test_damaged_parameters_load_or_are_refused(params: bytes) -> None:
    program = load(PROGRAM, params)
    # The weights are all of the file except the headers.
    assert program is None or sum(weight.array.nbytes for weight in program.weights.values()) < len(params)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_random_bytes_load_or_are_refused(model: bytes, params: bytes) -> None:
    load(model, params)
    load(PROGRAM, params)


def test_every_truncation_loads_or_is_refused() -> None:
    ends = [end for end in range(len(PROGRAM)) if load(PROGRAM[:end], PARAMS) is not None]
    # A cut between top-level fields leaves a program: both blocks, or the blocks and the version.
    blocks = PROGRAM.index(w.msg(4, w.num(1, 0)), len(PROGRAM) - 20)
    assert ends == [blocks, blocks + 4]
    assert [end for end in range(len(PARAMS)) if load(PROGRAM, PARAMS[:end]) is not None] == []


def test_every_replaced_byte_loads_or_is_refused() -> None:
    source = random.Random(1)
    for position in range(len(PROGRAM)):
        model = bytearray(PROGRAM)
        model[position] = source.randrange(256)
        load(bytes(model), PARAMS)


def test_a_damaged_program_that_loads_is_saved_unchanged() -> None:
    source = random.Random(2)
    for _ in range(1500):
        model = bytearray(PROGRAM)
        for _ in range(source.randint(1, 3)):
            model[source.randrange(len(model))] = source.randrange(256)
        with contextlib.suppress(ModelParseError):
            program = read_program(bytes(model), "m")
            assert repr(read_program(write_program(program), "m")) == repr(program)
