"""Models on the device through `lite.Config`, without faults and with each fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.bridges.sim_npu.device import SimNpu
from lite.ir.types import Array, DType
from tests.support.log_records import warnings_in
from tests.support.small_convnet import convnet
from tests.support.small_programs import make_program

IMAGE = np.random.default_rng(0).standard_normal((2, 3, 8, 7)).astype(np.float32)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


@pytest.fixture
def expected(net: Path) -> Array:
    return lite.create_predictor(lite.Config(net)).run([IMAGE])["y"]


def predictor_of(net: Path, options: str = "", **config: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(net, devices=[f"sim_npu{{{options}}}"], **config))


def assert_equal(outputs: dict[str, Array], expected: Array) -> None:
    assert outputs["y"].shape == expected.shape
    np.testing.assert_allclose(outputs["y"], expected, rtol=0, atol=1e-3 * float(np.abs(expected).max()))


@pytest.mark.parametrize("options", ["", "memory=true", "cores=4"])
def test_the_model_is_one_region(net: Path, expected: Array, options: str) -> None:
    predictor = predictor_of(net, options, fallback="error")

    for _ in range(2):
        assert_equal(predictor.run([IMAGE]), expected)
    (region,) = predictor.report().regions
    assert (region.device, len(region.ops)) == ("sim_npu", 5)
    assert (region.state, region.signatures[0].runs) == ("built", 2)


def test_attention_by_einsum_is_one_region(tmp_path: Path) -> None:
    """The device has no einsum, but it has products of matrices."""
    shape = (2, 5, 3, 4)
    program = make_program(
        dict.fromkeys("qkv", (DType.FLOAT32, shape)),
        {},
        [
            ("einsum", {"Operands": ["q", "k"]}, {"Out": ["s"]}, {"equation": "...qhd,...khd->...hqk"}),
            ("softmax", {"X": ["s"]}, {"Out": ["p"]}, {"axis": -1}),
            ("einsum", {"Operands": ["p", "v"]}, {"Out": ["y"]}, {"equation": "...hqk,...khd->...qhd"}),
        ],
        ["y"],
    )
    lite.save_program(program, tmp_path / "net")
    q, k, v = (np.random.default_rng(n).standard_normal(shape).astype(np.float32) for n in range(3))
    scores = np.exp(np.einsum("bqhd,bkhd->bhqk", q, k))
    expected = np.einsum("bhqk,bkhd->bqhd", scores / scores.sum(-1, keepdims=True), v)
    predictor = predictor_of(tmp_path / "net", fallback="error")

    assert_equal(predictor.run([q, k, v]), expected)
    assert [region.state for region in predictor.report().regions] == ["built"]
    assert {op.placed_on for op in predictor.report().ops} == {"sim_npu"}


@pytest.mark.parametrize("options", ["max_ops=3", "max_ops=3, memory=true"])
def test_regions_keep_the_limits_of_the_device(net: Path, expected: Array, options: str) -> None:
    predictor = predictor_of(net, options, fallback="error")

    assert_equal(predictor.run([IMAGE]), expected)
    assert [len(region.ops) for region in predictor.report().regions] == [2, 3]


def test_a_kept_model_is_loaded_by_the_same_version_only(net: Path, expected: Array, tmp_path: Path) -> None:
    states = []
    for options in ("", "", 'sdk_version="3.0.0"', ""):
        predictor = predictor_of(net, options, fallback="error", cache_dir=tmp_path / "cache")
        assert_equal(predictor.run([IMAGE]), expected)
        states.append(predictor.report().regions[0].state)

    assert states == ["built", "loaded", "built", "loaded"]


FAULTS = [
    "fail_at=available",
    "fail_at=convert",
    "fail_at=compile",
    "fail_at=run",
    "fail_run=1",
    "fail_op=reduce_mean",
    "fail_op=reduce_mean, name_fail_op=false",
    "wrong_shape=true",
    "wrong_dtype=true",
    "wrong_shape=true, memory=true",
    "wrong_dtype=true, memory=true",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_warning_and_the_host_answers(
    net: Path, expected: Array, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    predictor = predictor_of(net, fault)

    for _ in range(3):
        assert_equal(predictor.run([IMAGE]), expected)
    assert len(warnings_in(caplog)) == 1
    assert "sim_npu" in warnings_in(caplog)[0]


def test_after_a_failed_run_the_host_runs_the_region(
    net: Path, expected: Array, caplog: pytest.LogCaptureFixture
) -> None:
    predictor = predictor_of(net, "fail_run=2")

    for _ in range(4):
        assert_equal(predictor.run([IMAGE]), expected)
    (signature,) = predictor.report().regions[0].signatures
    assert (signature.runs, signature.host_runs) == (1, 3)
    (warning,) = warnings_in(caplog)
    assert "asked for by fail_run=2" in warning


def test_a_kept_model_that_cannot_be_loaded_is_built_again(
    net: Path, expected: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_equal(predictor_of(net, cache_dir=tmp_path).run([IMAGE]), expected)

    def load(self: SimNpu, blob: bytes) -> None:
        raise RuntimeError("the driver is out of memory")

    monkeypatch.setattr(SimNpu, "load", load)
    predictor = predictor_of(net, fallback="error", cache_dir=tmp_path)
    assert_equal(predictor.run([IMAGE]), expected)
    assert predictor.report().regions[0].state == "built"


def test_after_a_cache_hit_a_failed_run_falls_back_to_the_host(
    net: Path, expected: Array, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        predictor = predictor_of(net, "fail_run=2", cache_dir=tmp_path)
        for _ in range(3):
            assert_equal(predictor.run([IMAGE]), expected)

    assert len(warnings_in(caplog)) == 2


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "fail_at=available"])
def test_a_fault_without_fallback_is_an_error(net: Path, fault: str) -> None:
    with pytest.raises((lite.CompileError, lite.ExecutionError), match="sim_npu"):
        predictor_of(net, fault, fallback="error").run([IMAGE])


def test_an_unknown_option_is_an_error_with_a_suggestion(net: Path) -> None:
    with pytest.raises(lite.ConfigError, match="device sim_npu: no option 'core'; did you mean 'cores'"):
        predictor_of(net, "core=2")


@pytest.mark.parametrize("options", ["", "memory=true"])
def test_an_isolated_device_gives_the_same_results(net: Path, expected: Array, options: str) -> None:
    predictor = predictor_of(net, options, fallback="error", isolate=True)

    for _ in range(2):
        assert_equal(predictor.run([IMAGE]), expected)
    assert predictor.report().regions[0].signatures[0].runs == 2


@pytest.mark.parametrize("options", ["kill=2", "kill=2, memory=true"])
def test_after_a_killed_worker_the_host_runs_the_region(
    net: Path, expected: Array, caplog: pytest.LogCaptureFixture, options: str
) -> None:
    predictor = predictor_of(net, options, isolate=True)

    for _ in range(4):
        assert_equal(predictor.run([IMAGE]), expected)
    (signature,) = predictor.report().regions[0].signatures
    assert (signature.runs, signature.host_runs) == (1, 3)
    assert len(warnings_in(caplog)) == 1
