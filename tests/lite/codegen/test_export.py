"""The folder of an exported model, and what an export refuses."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from lite.codegen import Limit, export_c
from lite.codegen.limits import NO_LIMIT
from lite.config import Config
from lite.errors import CompileError, ConfigError
from lite.ir.program import AttrValue, Program
from lite.ir.types import DType
from tests.support.compiled_c import compile_model, saved_config
from tests.support.small_convnet import convnet
from tests.support.small_programs import OpText, affine, affine_reference, make_program

FILES = {
    "model.c",
    "model.h",
    "weights.c",
    "weights.bin",
    "main.c",
    "Makefile",
    "CMakeLists.txt",
    "README.md",
}


def config_of(program: Program, folder: Path, **shapes: tuple[int, ...]) -> Config:
    return saved_config(program, folder / "source", input_shapes=shapes)


def test_a_model_runs_in_c(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)

    model = compile_model(config_of(affine(), tmp_path, x=(3, 4)), tmp_path / "c")
    y, twice = model.run({"x": x})

    np.testing.assert_allclose(y, affine_reference(x), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(twice, 2 * affine_reference(x), rtol=1e-6, atol=1e-6)
    assert FILES | {".litebridge"} <= {path.name for path in model.folder.iterdir()}


def test_two_exports_are_the_same(tmp_path: Path) -> None:
    config = config_of(convnet(), tmp_path, x=(1, 3, 8, 8))

    export_c(config, tmp_path / "a", name="net")
    export_c(config, tmp_path / "b", name="net")

    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_an_input_of_open_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"x \[-1,4\]|x \[\?,4\]"):
        export_c(config_of(affine(), tmp_path), tmp_path / "c")

    assert not (tmp_path / "c").exists()


def test_all_ops_without_code_are_named_with_the_cut(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (4, 4))},
        {},
        [
            ("relu", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("inverse", {"Input": ["a"]}, {"Output": ["b"]}, {}),
            ("determinant", {"Input": ["a"]}, {"Out": ["c"]}, {}),
        ],
        ["b", "c"],
    )
    config = config_of(program, tmp_path)

    with pytest.raises(CompileError) as error:
        export_c(config, tmp_path / "c")

    text = str(error.value)
    assert "2 ops cannot be written as C" in text
    assert "inverse (b)" in text
    assert "determinant (c)" in text
    assert "1 of the model's 3 ops" in text
    assert "--output a" in text
    assert not (tmp_path / "c").exists()
    assert [each.name for each in export_c(config, tmp_path / "c", outputs=["a"]).outputs] == ["a"]


def test_a_folder_with_other_files_is_refused_and_an_earlier_build_is_replaced(tmp_path: Path) -> None:
    config = config_of(affine(), tmp_path, x=(1, 4))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("text")

    with pytest.raises(ConfigError, match="files that no build wrote"):
        export_c(config, tmp_path / "mine")
    export_c(config, tmp_path / "c")
    (tmp_path / "c" / "old.o").touch()
    export_c(config, tmp_path / "c")

    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    assert not (tmp_path / "c" / "old.o").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "mine", "source"]


@pytest.mark.parametrize(("limit", "words"), [(Limit(ram=1000), "RAM"), (Limit(flash=1000), "flash")])
def test_a_model_above_a_limit_is_refused_with_a_breakdown(tmp_path: Path, limit: Limit, words: str) -> None:
    config = config_of(convnet(), tmp_path, x=(1, 3, 8, 8))

    with pytest.raises(CompileError, match=f"{words}: .*limit is 1000"):
        export_c(config, tmp_path / "c", "cortex-m", limit=limit)

    assert not (tmp_path / "c").exists()


def test_a_breakdown_names_steps_and_what_would_help(tmp_path: Path) -> None:
    config = config_of(convnet(), tmp_path, x=(1, 3, 8, 8))

    with pytest.raises(CompileError) as error:
        export_c(config, tmp_path / "c", limit=Limit(ram=100, flash=100))

    text = str(error.value)
    assert "768  x float32[1,3,8,8]" in text
    assert "Inputs and outputs alone exceed it" in text
    assert "conv2d" in text.partition("flash:")[2]
    assert "(float32)" in text
    assert "int8 weights (litebridge quantize) take a quarter." in text
    with pytest.raises(CompileError, match=r"Smaller inputs, int8 values \(litebridge quantize\), or fewer"):
        export_c(config, tmp_path / "c", limit=Limit(ram=2000))


def test_limits_that_fit_change_nothing(tmp_path: Path) -> None:
    config = config_of(convnet(), tmp_path, x=(1, 3, 8, 8))

    limited = export_c(config, tmp_path / "a", limit=Limit(ram=1 << 20, flash=1 << 20))
    free = export_c(config, tmp_path / "b")

    assert limited == free


def test_large_weights_for_speed_are_left_out_where_space_or_rounding_counts(tmp_path: Path) -> None:
    weights = {"w": np.random.default_rng(0).standard_normal((16, 16, 3, 3)).astype(np.float32)}
    attrs: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}
    ops: list[OpText] = [("conv2d", {"Input": ["x"], "Filter": ["w"]}, {"Output": ["y"]}, attrs)]
    config = config_of(make_program({"x": (DType.FLOAT32, (1, 16, 16, 16))}, weights, ops, ["y"]), tmp_path)

    def is_fast(config: Config, target: str = "c", limit: Limit = NO_LIMIT) -> bool:
        export_c(config, tmp_path / "c", target, limit=limit)
        return "lb_winograd(" in (tmp_path / "c" / "model.c").read_text()

    assert is_fast(config)
    assert not is_fast(config, limit=Limit(flash=1 << 20))
    assert not is_fast(config, "cortex-m")
    assert not is_fast(dataclasses.replace(config, precision="strict"))


def test_an_argument_and_a_constant_may_be_results(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2, 2))},
        {"w": np.arange(3, dtype=np.float32)},
        [
            ("assign", {"X": ["x"]}, {"Out": ["same"]}, {}),
            ("scale", {"X": ["w"]}, {"Out": ["constant"]}, {"scale": 2.0}),
        ],
        ["same", "constant"],
    )
    x = np.arange(4, dtype=np.float32).reshape(2, 2)

    same, constant = compile_model(config_of(program, tmp_path), tmp_path / "c").run({"x": x})

    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(constant, [0, 2, 4])
