"""Calibration data of every form, wrong ones, options, and the precision plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array, DType
from tests.lite.quantization.models import program, samples, save_onnx
from tests.support.small_programs import make_program


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(program(), tmp_path / "float")
    return tmp_path / "float"


def grids(result: Any) -> dict[str, float]:
    return {name: grid.step for name, grid in result.grids.items()}


def stacked() -> Array:
    return np.concatenate([sample["x"] for sample in samples()])


def test_all_forms_of_data_give_the_same_ranges(model: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for number, sample in enumerate(samples()):
        np.save(tmp_path / "files" / f"{number}.npy", sample["x"])
    np.savez(tmp_path / "rows.npz", x=stacked())
    runs: dict[str, Any] = {"in:x": np.stack([sample["x"] for sample in samples()])}
    np.savez_compressed(tmp_path / "runs.npz", **runs)
    script = tmp_path / "data.py"
    script.write_text(
        "import numpy as np\n\ndef batches():\n"
        f"    for file in range({len(samples())}):\n"
        f"        yield [np.load(f'{tmp_path}/files/{{file}}.npy')]\n"
    )
    sources: list[Any] = [
        samples(),
        lambda: iter(samples()),
        tmp_path / "files",
        tmp_path / "rows.npz",
        tmp_path / "runs.npz",
        f"{script}:batches",
    ]

    results = [
        lite.quantize(model, source, tmp_path / "out", method="min_max", layers="all") for source in sources
    ]

    assert [result.samples for result in results] == [8, 8, 8, 16, 8, 8]
    first = grids(results[0])
    assert set(first) == {"x", "b", "d"}
    assert first["x"] == np.float32(2 * np.abs(stacked()).max() / 254)
    for result in results[1:]:
        assert grids(result) == pytest.approx(first, rel=1e-5)


def test_samples_are_read_one_at_a_time(model: Path, tmp_path: Path) -> None:
    alive: list[int] = []

    def batches() -> Iterator[dict[str, Array]]:
        for number, sample in enumerate(samples()):
            alive.append(number)
            yield sample

    seen: list[tuple[str, int, int | None, int]] = []
    lite.quantize(
        model,
        batches,
        tmp_path / "out",
        samples=3,
        rounding="nearest",
        progress=lambda stage, done, total: seen.append((stage, done, total, len(alive))),
    )

    stages = ("calibrating", "correcting biases")
    assert seen == [(stage, n, None, n + 3 * k) for k, stage in enumerate(stages) for n in (1, 2, 3)]


def test_an_iterator_is_read_once(model: Path, tmp_path: Path) -> None:
    stages: list[str] = []

    lite.quantize(model, iter(samples()), tmp_path / "out", progress=lambda stage, *_: stages.append(stage))

    assert set(stages) == {"calibrating", "rounding weights"}


ONES = np.ones((2, 3, 6, 6), np.float32)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no sample; expected at least one"),
        ([{"y": ONES}], "sample 0: the model has no input 'y'"),
        ([{"x": ONES.astype(np.float64)}], "sample 0: input 'x': expected dtype float32, got float64"),
        ([{"x": ONES}, {"x": ONES[:, :2]}], "sample 1: input 'x'"),
        ([{"x": ONES * np.float32(np.nan)}], "sample 0: input 'x' has NaN or infinite elements"),
        ([[ONES, ONES]], r"sample 0: expected 1 arrays \(x\), got 2"),
        (3, "expected a folder of .npy and .npz files, .* got a int"),
    ],
)
def test_wrong_data_are_named(data: Any, message: str, model: Path, tmp_path: Path) -> None:
    with pytest.raises(lite.InputError, match=message):
        lite.quantize(model, data, tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_wrong_files_are_named(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "uneven.npz", x=ONES, y=ONES[:1])
    np.savez(tmp_path / "other.npz", z=ONES)
    for name, message in (
        ("empty", "the folder has no .npy or .npz file"),
        ("text.npz", "the file cannot be read"),
        ("uneven.npz", r"the same number of rows, .* got x \[2, 3, 6, 6\], y \[1, 3, 6, 6\]"),
        ("other.npz", "no input 'z'"),
        ("missing.npz", "the calibration data does not exist"),
        ("data.txt", "the calibration data does not exist"),
    ):
        with pytest.raises(lite.InputError, match=message):
            lite.quantize(model, tmp_path / name, tmp_path / "out")


@pytest.mark.parametrize(
    ("source", "function", "message"),
    [
        ("def data():\n    return []\n", "dta", "no function 'dta'; did you mean 'data'"),
        ("def data():\n    return 1 / 0\n", "data", "failed at data.py, line 2: ZeroDivisionError"),
        ("def data():\n    yield {}\n    raise KeyError('a')\n", "data", "inputs are missing: x"),
        ("def data():\n    return 5\n", "data", "must return or yield the inputs of each run.* got a int"),
        ("import nothing_of_this_name\n", "data", "failed at data.py, line 1: ModuleNotFoundError"),
        ("def data(:\n", "data", "SyntaxError"),
    ],
)
def test_wrong_scripts_are_named(
    source: str, function: str, message: str, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "data.py").write_text(source)

    with pytest.raises(lite.LiteError, match=message):
        lite.quantize(model, f"{tmp_path / 'data.py'}:{function}", tmp_path / "out")


def test_nan_inside_the_model_names_the_activation(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {"w": np.eye(4, dtype=np.float32)},
        [
            ("log", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("matmul_v2", {"X": ["a"], "Y": ["w"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )
    lite.save_program(program, tmp_path / "float")

    with pytest.raises(lite.InputError, match=r"sample 0: activation 'a', which log writes, has NaN"):
        lite.quantize(tmp_path / "float", [[-np.ones((1, 4), np.float32)]], tmp_path / "out")


@pytest.mark.parametrize("constant", [0.0, 2.5, -3.0])
def test_constant_activations_stay_exact(constant: float, tmp_path: Path) -> None:
    source = save_onnx(tmp_path / "float.onnx")
    data = [np.full((1, 3, 6, 6), constant, np.float32)] * 2

    result = lite.quantize(source, data, tmp_path / "int8.onnx")

    step = result.grids["x"].step
    assert step == pytest.approx(abs(constant) / 255 if constant else 1 / 255)
    nearest = result.grids["x"].nearest(np.array([constant], np.float32))
    assert nearest[0] == pytest.approx(constant)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "min-max"}, "method: expected auto, min_max, .* got 'min-max'; did you mean 'min_max'"),
        ({"keep": ["conv2"]}, "keep: no layer has the name or op type 'conv2'; did you mean 'conv2d'"),
        ({"weights": "int7"}, "weights: expected int8, int4, float16"),
        ({"weights": "float16"}, "float16 needs activations 'float'"),
        ({"activations": "asymmetric"}, "Paddle's format has symmetric ones only"),
        ({"format": "onnx"}, "format onnx needs an ONNX model; convert it first"),
        ({"percentile": 10.0}, "percentile: expected more than 50"),
        ({"samples": 0}, "samples: expected 1 or more, got 0"),
        ({"max_drop": 0.0}, "max_drop: expected more than 0"),
        ({"metric": "psnr"}, "metric: expected cosine, sqnr or SCRIPT.py:function, got 'psnr'"),
        ({"plan": "missing.txt"}, "missing.txt: cannot be read"),
        ({"keep": ["conv2d", "matmul_v2"]}, "no layer is left to quantise"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options: dict[str, Any], message: str, model: Path, tmp_path: Path) -> None:
    with pytest.raises(lite.ConfigError, match=message):
        lite.quantize(model, samples(), tmp_path / "out", **options)


def test_quantised_activations_need_data(model: Path, tmp_path: Path) -> None:
    with pytest.raises(lite.ConfigError, match="need calibration data"):
        lite.quantize(model, None, tmp_path / "out")


def test_a_model_without_layers_is_refused(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2,))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"]
    )
    lite.save_program(program, tmp_path / "float")

    with pytest.raises(lite.ConfigError, match="no layer to quantise"):
        lite.quantize(tmp_path / "float", None, tmp_path / "out")


def test_a_quantised_model_says_why_nothing_is_left(model: Path, tmp_path: Path) -> None:
    lite.quantize(model, samples(), tmp_path / "int8")

    with pytest.raises(
        lite.ConfigError, match=r"w1\.dequantized is computed from constants by dequantize_linear"
    ):
        lite.quantize(tmp_path / "int8", samples(), tmp_path / "out")


def test_max_drop_keeps_the_most_costly_layers(model: Path, tmp_path: Path) -> None:
    free = lite.quantize(model, samples(), tmp_path / "a", max_drop=1.0, metric="sqnr", layers="all")
    drops = {each.layer.name: each.drop for each in free.choices}
    limit = sum(drop for drop in drops.values() if drop is not None) / 2

    result = lite.quantize(model, samples(), tmp_path / "b", max_drop=limit, metric="sqnr", layers="all")

    assert all(each.is_quantized for each in free.choices)
    kept = [each.layer.name for each in result.choices if not each.is_quantized]
    costly = sorted(drops, key=lambda name: drops[name] or 0, reverse=True)
    assert 0 < len(kept) < 3
    assert kept == sorted(costly[: len(kept)], key=list(drops).index)
    noise = 10 ** (-min(each.sqnr for each in result.outputs) / 10)
    assert noise <= limit * 1.0001


def test_a_script_may_measure_the_drop(model: Path, tmp_path: Path) -> None:
    (tmp_path / "metric.py").write_text("def worst(exact, got):\n    return 1.0\n")

    with pytest.raises(lite.ConfigError, match="no layer is left"):
        lite.quantize(
            model, samples(), tmp_path / "out", max_drop=0.5, metric=f"{tmp_path / 'metric.py'}:worst"
        )


def test_a_plan_is_taken_back(model: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    first = lite.quantize(model, samples(), tmp_path / "a", keep=["y"], layers="all")
    plan.write_text(first.plan)

    second = lite.quantize(model, samples(), tmp_path / "b", plan=plan)

    assert [each.is_quantized for each in second.choices] == [True, True, False]
    assert second.plan.splitlines()[3].startswith("float      y  # matmul_v2, the plan keeps it")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("int8 a", "line 2: expected 'quantized' or 'float' and a layer, got 'int8 a'"),
        ("float aa", "line 2: the model has no layer 'aa'"),
        ("float", "line 2: expected"),
    ],
)
def test_wrong_plans_are_named(line: str, message: str, model: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(f"# a comment\n{line}\n")

    with pytest.raises(lite.ConfigError, match=message):
        lite.quantize(model, samples(), tmp_path / "out", plan=plan)
