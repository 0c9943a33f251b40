"""The memory that a predictor holds: no program, no graph, and no weight twice."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import Array
from lite.passes.base import PassContext
from lite.session import build
from lite.session import predictor as predictor_module
from lite.session.build import Optimized, optimize
from tests.support.small_convnet import convnet

X = np.random.default_rng(1).standard_normal((1, 3, 12, 40)).astype(np.float32)
NARROW = X[..., :4]
"""For an image this narrow, a convolution uses another algorithm, with other packed weights."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path)
    return tmp_path


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Program | Graph | PassContext]]:
    """Weak references to the program, graph and context of each later call of `optimize`."""
    references: list[weakref.ref[Program | Graph | PassContext]] = []
    original = optimize
    assert predictor_module  # imported before it is replaced

    def recorded(program: Program, config: lite.Config, context: PassContext) -> Optimized:
        optimized = original(program, config, context=context)
        references.extend((weakref.ref(program), weakref.ref(optimized.graph), weakref.ref(context)))
        return optimized

    monkeypatch.setattr(build, "optimize", recorded)
    return references


def type_names_alive(references: list[weakref.ref[Program | Graph | PassContext]]) -> list[str]:
    gc.collect()
    return [type(each).__name__ for each in (reference() for reference in references) if each is not None]


def test_program_graph_and_context_are_freed(
    model: Path, alive: list[weakref.ref[Program | Graph | PassContext]]
) -> None:
    predictor = lite.create_predictor(lite.Config(model))
    assert len(alive) == 3
    assert type_names_alive(alive) == []
    expected = predictor.run([X])["y"]
    np.testing.assert_array_equal(predictor.clone().run([X])["y"], expected)
    assert type_names_alive(alive) == []


def test_with_debug_program_and_graph_are_kept(
    model: Path, alive: list[weakref.ref[Program | Graph | PassContext]]
) -> None:
    predictor = lite.create_predictor(lite.Config(model, debug=True, valid_places=["host"]))
    assert type_names_alive(alive) == ["Program", "Graph"]
    predictor.optimized_program()
    assert len(alive) == 3


def test_an_optimised_program_that_was_freed_is_computed_again(model: Path, tmp_path: Path) -> None:
    stored = lite.create_predictor(lite.Config(model, debug=True)).optimized_program()
    recomputed = lite.create_predictor(lite.Config(model)).optimized_program()
    lite.save_program(stored, tmp_path / "stored")
    lite.save_program(recomputed, tmp_path / "recomputed")
    for name in ("inference.pdmodel", "inference.pdiparams"):
        assert (tmp_path / "stored" / name).read_bytes() == (tmp_path / "recomputed" / name).read_bytes()


def unaligned(predictor: lite.Predictor) -> dict[str, int]:
    """The sizes of the weights that are unaligned in their file, by name."""
    plan = predictor._state.plan
    return {
        plan.values[index].name: array.nbytes
        for index, array in plan.constants.items()
        if not array.flags.aligned
    }


def shift(program: Program, by: int) -> Program:
    """The program with weights at `by` bytes after an aligned address, as in a file."""
    for weight in program.weights.values():
        raw = np.zeros(weight.array.nbytes + by, np.uint8)[by:]
        shifted: Array = raw.view(weight.array.dtype).reshape(weight.array.shape)
        shifted[...] = weight.array
        weight.array = shifted
    return program


def test_a_packed_weight_has_no_aligned_copy(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "load_program", lambda _: shift(convnet(), 1))
    predictor = lite.create_predictor(lite.Config(model, passes=[], valid_places=["host"]))
    sizes = unaligned(predictor)
    assert sizes == {"w1": 32 * 27 * 4, "w2": 32 * 32 * 9 * 4, "w3": 32 * 5 * 4}
    assert predictor.memory().copied == 0
    expected = predictor.run([X])["y"]
    use = predictor.memory()
    assert use.weights == sum(sizes.values())
    assert use.copied == sizes["w3"]
    assert use.packed == sizes["w1"] + sizes["w2"]
    # A clone, a part and a similar shape share all weights.
    clone = predictor.clone()
    np.testing.assert_array_equal(clone.run([X])["y"], expected)
    half = clone.run_part({"x": X}, ["c"])["c"]
    np.testing.assert_array_equal(clone.run_part({"c": half}, ["y"])["y"], expected)
    clone.run([X[:, :, ::2]])
    assert (clone.memory().copied, clone.memory().packed) == (use.copied, use.packed)


def test_another_algorithm_packs_the_weights_of_the_file_again(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = lite.create_predictor(lite.Config(model)).run([NARROW])["y"]
    monkeypatch.setattr(build, "load_program", lambda _: shift(convnet(), 1))
    predictor = lite.create_predictor(lite.Config(model))
    wide = predictor.run([X])["y"]
    packed = predictor.memory().packed
    np.testing.assert_allclose(predictor.run([NARROW])["y"], alone, rtol=1e-5)
    assert predictor.memory().packed == packed + 32 * 32 * 9 * 4
    np.testing.assert_allclose(predictor.clone().run([NARROW])["y"], alone, rtol=1e-5)
    np.testing.assert_array_equal(predictor.run([X])["y"], wide)


def test_a_packed_weight_can_be_an_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lite.save_program(convnet(), tmp_path)
    program = shift(convnet(), 1)
    program.blocks[0].ops[-1].inputs["X"] = ["w2"]
    monkeypatch.setattr(build, "load_program", lambda _: program)
    predictor = lite.create_predictor(lite.Config(tmp_path, passes=[], keep=["c"]))
    weight = convnet().weights["w2"].array
    np.testing.assert_array_equal(predictor.run([X])["w2"], weight)
    assert predictor.get("c").shape == (1, 32, 12, 40)


def test_arenas_list_their_buffers_with_the_names_of_values(model: Path) -> None:
    predictor = lite.create_predictor(
        lite.Config(model, passes=["memory_optimize_pass"], valid_places=["host"])
    )
    assert predictor.memory().arenas == ()
    predictor.run([X])
    [arena] = predictor.memory().arenas
    image = 32 * 12 * 40 * 4
    buffers = [(buffer.names, buffer.size, buffer.first, buffer.last) for buffer in arena.buffers]
    assert buffers == [(("a", "b"), image, 0, 2), (("c",), image, 2, 3), (("d",), 128, 3, 4)]
    assert (arena.block, arena.start, arena.stop, arena.size) == ("main", 0, 5, 2 * image)
    predictor.run([NARROW])
    assert [arena.size for arena in predictor.memory().arenas] == [2 * image, 2 * image // 10]
