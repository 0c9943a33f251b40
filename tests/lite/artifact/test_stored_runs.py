"""Stored runs: equal to the runs that were stored, without a plan, and only for who wrote them."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import LiteError
from lite.ir.program import AttrValue, Program
from lite.ir.types import Array, DType
from lite.plugin import code_signature
from tests.lite.artifact.files import edit, members, write
from tests.support.small_convnet import convnet
from tests.support.small_programs import make_program

pytest.importorskip("numba", reason="only compiled kernels launch")

SHAPE = (1, 3, 8, 8)


def gated() -> Program:
    """A convolution whose channels are weighted, flattened: kernels with memory of their own, and a view."""
    rng = np.random.default_rng(0)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in (("w", (8, 3, 3, 3)), ("s", (4, 8, 1, 1)), ("e", (8, 4, 1, 1)))
    }
    pointwise: dict[str, AttrValue] = {
        "strides": [1, 1],
        "paddings": [0, 0],
        "dilations": [1, 1],
        "groups": 1,
    }
    convolution: dict[str, AttrValue] = {**pointwise, "paddings": [1, 1]}
    pool: dict[str, AttrValue] = {"pooling_type": "avg", "ksize": [1, 1], "adaptive": True}
    return make_program(
        {"x": (DType.FLOAT32, SHAPE)},
        weights,
        [
            ("conv2d", {"Input": ["x"], "Filter": ["w"]}, {"Output": ["a"]}, convolution),
            ("pool2d", {"X": ["a"]}, {"Out": ["b"]}, pool),
            ("conv2d", {"Input": ["b"], "Filter": ["s"]}, {"Output": ["c"]}, pointwise),
            ("relu", {"X": ["c"]}, {"Out": ["d"]}, {}),
            ("conv2d", {"Input": ["d"], "Filter": ["e"]}, {"Output": ["f"]}, pointwise),
            ("sigmoid", {"X": ["f"]}, {"Out": ["g"]}, {}),
            ("elementwise_mul", {"X": ["a"], "Y": ["g"]}, {"Out": ["h"]}, {"axis": -1}),
            ("flatten_contiguous_range", {"X": ["h"]}, {"Out": ["y"]}, {"start_axis": 1, "stop_axis": -1}),
        ],
        ["y"],
    )


def taken() -> Program:
    """Rows of a table: an index outside of it is an error of the run."""
    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    return make_program(
        {"x": (DType.INT64, (3,))},
        {"t": table},
        [("lookup_table_v2", {"Ids": ["x"], "W": ["t"]}, {"Out": ["y"]}, {})],
        ["y"],
    )


def image(seed: int = 0, shape: tuple[int, ...] = SHAPE) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def stored(
    folder: Path, program: Callable[[], Program] = convnet, **settings: Any
) -> tuple[Path, lite.Predictor]:
    """An artifact for one image, and a predictor of the model."""
    lite.save_program(program(), folder / "model")
    model = lite.create_predictor(lite.Config(folder / "model", compilation="wait", **settings))
    lite.save_artifact(model, folder / "model.lbm", signatures=[{"x": SHAPE}])
    return folder / "model.lbm", model


def is_deferred(predictor: lite.Predictor) -> bool:
    return predictor._model.is_deferred


@pytest.mark.parametrize("program", [convnet, gated])
def test_a_stored_run_equals_a_run_of_the_plan(tmp_path: Path, program: Callable[[], Program]) -> None:
    path, model = stored(tmp_path, program)
    predictor = lite.create_predictor(lite.Config(path))
    clone = predictor.clone()

    for seed in range(3):
        expected = model.run({"x": image(seed)})["y"]
        np.testing.assert_array_equal(predictor.run({"x": image(seed)})["y"], expected)
        np.testing.assert_array_equal(clone.run([image(seed)])["y"], expected)
        np.testing.assert_array_equal(predictor.get("y"), expected)
    assert is_deferred(predictor)
    # Predictors of one artifact share no memory that runs write to.
    held = predictor.run([image(1)])["y"]
    clone.run([image(2)])
    np.testing.assert_array_equal(held, model.run([image(1)])["y"])
    assert is_deferred(clone)


def test_all_else_loads_the_plan(tmp_path: Path) -> None:
    path, model = stored(tmp_path)
    wide, size = image(0, (1, 3, 8, 12)), model.run([image()])["y"].shape

    def prepared(predictor: lite.Predictor) -> object:
        predictor.prepare({"x": wide.shape})
        return predictor.parts().bound

    asks: list[Callable[[lite.Predictor], object]] = [
        lambda p: p.run({"x": wide})["y"].tolist(),
        lambda p: p.run({"x": image()[:, :, ::-1]})["y"].tolist(),
        lambda p: p.run({"x": image()}, outputs={"y": np.empty(size, np.float32)})["y"].tolist(),
        lambda p: p.run({"x": image().tolist()})["y"].tolist(),
        lambda p: p.run_part({"x": image()}, ["y"])["y"].tolist(),
        lambda p: [op.name for op in p.report().ops],
        lambda p: p.memory().weights,
        lambda p: p.pass_records == [],
        prepared,
    ]
    for ask in asks[:-2]:
        predictor = lite.create_predictor(lite.Config(path))
        assert ask(predictor) == ask(model)
        assert not is_deferred(predictor)
    for ask in asks[-2:]:
        assert ask(lite.create_predictor(lite.Config(path)))
    predictor = lite.create_predictor(lite.Config(path))
    with pytest.raises(LiteError, match="expected dtype float32, got float64"):
        predictor.run({"x": image().astype(np.float64)})
    np.testing.assert_array_equal(predictor.run([image()])["y"], model.run([image()])["y"])


def test_a_fresh_process_imports_no_op_kernel_and_no_plan(tmp_path: Path) -> None:
    path, model = stored(tmp_path)
    np.save(tmp_path / "x.npy", image())
    program = f"""
import sys, numpy as np, lite
predictor = lite.create_predictor(lite.Config({str(path)!r}))
np.save({str(tmp_path / "y.npy")!r}, predictor.run([np.load({str(tmp_path / "x.npy")!r})])["y"])
unneeded = ("lite.kernels.host.", "lite.cache.directory", "numba", "onnx")
print([name for name in sys.modules if name.startswith(unneeded)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), model.run([image()])["y"])


def test_what_may_fail_has_no_stored_run(tmp_path: Path) -> None:
    lite.save_program(taken(), tmp_path / "model")
    config = lite.Config(tmp_path / "model", compilation="wait")
    assert "runs.json" not in lite.save_artifact(config, tmp_path / "model.lbm").members


def test_clones_that_run_at_once_have_memory_of_their_own(tmp_path: Path) -> None:
    path, model = stored(tmp_path, gated)
    predictor = lite.create_predictor(lite.Config(path))
    clones = [predictor.clone() for _ in range(8)]
    images = [image(seed) for seed in range(8)]
    expected = [model.run([each])["y"] for each in images]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            runs = [pool.submit(clone.run, [each]) for clone, each in zip(clones, images, strict=True)]
            for run, result in zip(runs, expected, strict=True):
                np.testing.assert_array_equal(run.result()["y"], result)


def test_each_set_of_shapes_has_its_run(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "model")
    config = lite.Config(tmp_path / "model", compilation="wait")
    shapes = [SHAPE, (1, 3, 8, 12), (2, 3, 8, 8)]
    lite.save_artifact(config, tmp_path / "model.lbm", signatures=[{"x": shape} for shape in shapes])
    model = lite.create_predictor(config)
    predictor = lite.create_predictor(lite.Config(tmp_path / "model.lbm"))
    for shape in [*shapes, *reversed(shapes)]:
        x = image(1, shape)
        np.testing.assert_array_equal(predictor.run([x])["y"], model.run([x])["y"])
    assert is_deferred(predictor)


def _other_user(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_signature, "_secret", lambda: b"2" * 32)


def _other_code(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.kernels.cpu.native.restored_list.code_key", lambda: "another one")


def _no_code(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.kernels.cpu.native.restored_list.kept_code", lambda _: None)


def _changed_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = members(path)
    runs = contents["runs.json"]
    write(path, {**contents, "runs.json": runs.replace(b'"own":', b'"0wn":', 1)})


def _changed_plan(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(path, "plan.json", lambda document: document.update(more=1))


@pytest.mark.parametrize("change", [_other_user, _other_code, _no_code, _changed_run, _changed_plan])
def test_a_run_of_others_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    path, model = stored(tmp_path)
    change(path, monkeypatch)
    predictor = lite.create_predictor(lite.Config(path, compilation="wait"))
    assert not is_deferred(predictor)
    np.testing.assert_array_equal(predictor.run([image()])["y"], model.run([image()])["y"])


@pytest.mark.parametrize(
    "settings",
    [{"threads": 2}, {"debug": True}, {"precision": "strict"}, {"limits": lite.Limits(elements=1 << 20)}],
    ids=str,
)
def test_other_settings_need_the_plan(tmp_path: Path, settings: dict[str, Any]) -> None:
    path, model = stored(tmp_path)
    predictor = lite.create_predictor(lite.Config(path, compilation="wait", **settings))
    assert not is_deferred(predictor)
    np.testing.assert_allclose(predictor.run([image()])["y"], model.run([image()])["y"], rtol=1e-5, atol=1e-6)


def test_a_file_that_is_overwritten_before_the_first_run_is_an_error(tmp_path: Path) -> None:
    path, _ = stored(tmp_path)
    predictor = lite.create_predictor(lite.Config(path))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"?!")
    with pytest.raises(LiteError, match="was overwritten after the model was loaded"):
        predictor.run([image()])


def test_bytes_that_change_are_errors_or_change_nothing(tmp_path: Path) -> None:
    path, model = stored(tmp_path)
    expected, contents, chance = model.run([image()])["y"], members(path), random.Random(0)
    for _ in range(60):
        runs = bytearray(contents["runs.json"])
        runs[chance.randrange(len(runs))] = chance.randrange(256)
        write(path, {**contents, "runs.json": bytes(runs)})
        predictor = lite.create_predictor(lite.Config(path))
        np.testing.assert_array_equal(predictor.run([image()])["y"], expected)
