"""Layers in stripes of rows: the same bits in less memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.codegen import targets
from lite.codegen.emit import emit
from lite.codegen.limits import Limit, argument_bytes
from lite.codegen.lower import lower
from lite.codegen.rows import Span, row_op
from lite.codegen.schedule import Schedule, schedule
from lite.config import Config
from lite.io.save import save_program
from lite.ir.program import AttrValue, Program
from lite.ir.types import DType, Shape
from tests.support.compiled_c import QUICK, compile_model
from tests.support.small_programs import OpText, make_program

SHAPE = (1, 3, 24, 20)
X = np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)
WITH_STRIPES = replace(targets.TARGETS["c"], stripes=True)
WINDOW: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}


def filters(rng: np.random.Generator, outputs: int, inputs: int, size: int = 3) -> np.ndarray:
    return (rng.standard_normal((outputs, inputs, size, size)) / 4).astype(np.float32)


def tall_net(*, with_sum: bool = True) -> Program:
    """Large images first, small ones later; a sum of two images on the way."""
    rng = np.random.default_rng(1)
    weights = {
        "w1": filters(rng, 8, 3),
        "w2": filters(rng, 8, 1),
        "w3": filters(rng, 8, 8),
        "w4": filters(rng, 6, 8, 5),
    }
    deep: dict[str, AttrValue] = {**WINDOW, "groups": 8}
    last: dict[str, AttrValue] = {**WINDOW, "strides": [3, 2], "paddings": [2, 1]}
    joined: OpText = ("elementwise_add", {"X": ["d"], "Y": ["b"]}, {"Out": ["e"]}, {"axis": -1})
    pool: dict[str, AttrValue] = {
        "ksize": [3, 3],
        "strides": [2, 2],
        "paddings": [1, 1],
        "pooling_type": "max",
    }
    return make_program(
        {"x": (DType.FLOAT32, (-1, *SHAPE[1:]))},
        weights,
        [
            ("conv2d", {"Input": ["x"], "Filter": ["w1"]}, {"Output": ["a"]}, WINDOW),
            ("relu", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("depthwise_conv2d", {"Input": ["b"], "Filter": ["w2"]}, {"Output": ["c"]}, deep),
            ("conv2d", {"Input": ["c"], "Filter": ["w3"]}, {"Output": ["d"]}, WINDOW),
            joined if with_sum else ("relu", {"X": ["d"]}, {"Out": ["e"]}, {}),
            ("pool2d", {"X": ["e"]}, {"Out": ["f"]}, pool),
            ("conv2d", {"Input": ["f"], "Filter": ["w4"]}, {"Output": ["g"]}, last),
            ("sigmoid", {"X": ["g"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )


def config_of(program: Program, folder: Path) -> Config:
    save_program(program, folder)
    shapes: dict[str, Shape] = {"x": SHAPE}
    return Config(folder, input_shapes=shapes)


def planned(config: Config, limit: Limit = Limit(), target: targets.Target = WITH_STRIPES) -> Schedule:  # noqa: B008
    return schedule(config, "c", target, limit, ())


@pytest.mark.parametrize("with_sum", [True, False])
def test_stripes_give_the_same_bits_in_less_memory(
    with_sum: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of(tall_net(with_sum=with_sum), tmp_path / "net")
    whole = compile_model(config, tmp_path / "whole", QUICK)
    monkeypatch.setitem(targets.TARGETS, "c", WITH_STRIPES)
    monkeypatch.setattr("lite.codegen.schedule.EXTRA", 1.0)

    striped = compile_model(config, tmp_path / "striped", QUICK)

    assert len(striped.export.stripes) >= 1
    assert striped.export.arena <= 0.6 * whole.export.arena
    np.testing.assert_array_equal(striped.run({"x": X}), whole.run({"x": X}))


def test_quantised_layers_have_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_program(tall_net(), tmp_path / "float")
    lite.quantize(tmp_path / "float", [{"x": X}], tmp_path / "int8", layers="all")
    config = Config(tmp_path / "int8", input_shapes={"x": SHAPE})
    whole = compile_model(config, tmp_path / "whole", QUICK)
    monkeypatch.setitem(targets.TARGETS, "c", WITH_STRIPES)
    monkeypatch.setattr("lite.codegen.schedule.EXTRA", 1.0)

    striped = compile_model(config, tmp_path / "striped", QUICK)

    assert striped.export.stripes
    assert striped.export.arena < whole.export.arena
    np.testing.assert_array_equal(striped.run({"x": X}), whole.run({"x": X}))


def test_a_limit_of_memory_decides_how_many_rows_are_computed_twice(tmp_path: Path) -> None:
    config = config_of(tall_net(), tmp_path)
    arguments = argument_bytes(lower(config, "c"))
    whole = planned(config, target=targets.TARGETS["c"])
    low = planned(config, Limit(ram=arguments + whole.plan.arena * 3 // 4))
    enough = planned(config, Limit(ram=arguments + whole.plan.arena))

    assert not whole.stripes
    assert not enough.stripes
    assert low.stripes
    assert low.plan.arena <= whole.plan.arena * 3 // 4
    assert enough.plan.arena == whole.plan.arena


def test_a_batch_has_no_stripes(tmp_path: Path) -> None:
    save_program(tall_net(), tmp_path)
    config = Config(tmp_path, input_shapes={"x": (2, *SHAPE[1:])})

    assert not planned(config).stripes


def test_a_window_needs_rows_around_it_without_the_padding(tmp_path: Path) -> None:
    graph = lower(config_of(tall_net(), tmp_path), "c")
    emit(graph, "c", 16)
    ops = [op for node in graph if node.op == "conv2d" and (op := row_op(node, {})) is not None]
    first, last = ops[0], ops[-1]
    assert first.source is not None
    assert last.source is not None

    assert first.needs(Span(0, 5)) == {first.source: Span(0, 6)}
    assert first.needs(Span(5, 9)) == {first.source: Span(4, 10)}
    assert first.attributes(Span(0, 5))["paddings"] == [1, 0, 1, 1]
    assert first.attributes(Span(20, 24))["paddings"] == [0, 1, 1, 1]
    # Three rows apart, five high, from two rows above the image on.
    assert last.needs(Span(1, 3)) == {last.source: Span(1, 9)}
    assert last.attributes(Span(0, 4))["paddings"] == [2, 0, 1, 1]


def test_an_average_over_the_padding_keeps_its_divisor(tmp_path: Path) -> None:
    pool: dict[str, AttrValue] = {
        "ksize": [3, 3],
        "strides": [1, 1],
        "pooling_type": "avg",
        "paddings": [1, 1],
    }
    program = make_program(
        {"x": (DType.FLOAT32, SHAPE)},
        {},
        [
            ("pool2d", {"X": ["x"]}, {"Out": ["a"]}, {**pool, "exclusive": False}),
            ("pool2d", {"X": ["a"]}, {"Out": ["y"]}, {**pool, "exclusive": True}),
        ],
        ["y"],
    )
    graph = lower(config_of(program, tmp_path), "c")

    assert [row_op(node, {}) is not None for node in graph if node.op == "pool2d"] == [False, True]
