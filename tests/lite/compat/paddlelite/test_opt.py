"""Opt: converted models and printed tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddlelite import CxxConfig, MobileConfig, Opt
from lite.errors import ConfigError
from lite.io.save import save_program
from lite.ir.types import DType
from lite.ops import SCHEMAS
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS, run_on_rows
from tests.support.small_programs import OpText, make_program


def convert_with_setters(model: str, out: str) -> None:
    opt = Opt()
    opt.set_model_dir(model)
    opt.set_valid_places("x86")
    opt.set_model_type("naive_buffer")
    opt.set_optimize_out(out)
    opt.run()


def convert_files(model: str, out: str) -> None:
    opt = Opt()
    opt.set_model_file(f"{model}/inference.pdmodel")
    opt.set_param_file(f"{model}/inference.pdiparams")
    opt.set_optimize_out(out)
    opt.run()


def convert_with_arguments(model: str, out: str) -> None:
    Opt().run_optimize(model, "", "", "naive_buffer", "arm", out)


@pytest.mark.parametrize("convert", [convert_with_setters, convert_files, convert_with_arguments])
def test_the_optimised_model_runs(
    model: str, tmp_path: Path, convert: Callable[[str, str], None], caplog: pytest.LogCaptureFixture
) -> None:
    convert(model, str(tmp_path / "out"))
    config = MobileConfig()
    config.set_model_from_file(str(tmp_path / "out.nb"))
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))
    assert caplog.records == []


def test_the_type_protobuf_writes_paddle_lites_file_names(model: str, tmp_path: Path) -> None:
    Opt().run_optimize(model, model_type="protobuf", optimized_out_path=str(tmp_path / "out"))
    config = CxxConfig()
    config.set_model_file(str(tmp_path / "out" / "model"))
    config.set_param_file(str(tmp_path / "out" / "params"))
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


@pytest.mark.parametrize("with_names", [False, True])
def test_each_model_of_a_set_is_optimised(tmp_path: Path, with_names: bool) -> None:
    for name in ("one", "two"):
        models.save_relu_of_sum(tmp_path / "set" / name)
    (tmp_path / "set" / "a file").touch()
    opt = Opt()
    opt.set_modelset_dir(str(tmp_path / "set"))
    if with_names:
        opt.set_model_file("inference.pdmodel")
        opt.set_param_file("inference.pdiparams")
    opt.set_optimize_out(str(tmp_path / "out"))
    opt.run()

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["one", "two"]
    config = MobileConfig()
    config.set_model_from_file(str(tmp_path / "out" / "two"))
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_wrong_settings_are_refused(model: str) -> None:
    opt = Opt()
    with pytest.raises(ConfigError, match="call set_optimize_out"):
        opt.run()
    with pytest.raises(ConfigError, match="expected one of naive_buffer, protobuf, got 'nb'"):
        opt.set_model_type("nb")
    with pytest.raises(ConfigError, match="no target is called 'opncl'; did you mean 'opencl'"):
        opt.set_valid_places("arm,opncl")
    opt.set_optimize_out("out")
    opt.set_modelset_dir(f"{model}/no such folder")
    with pytest.raises(ConfigError, match="no such folder: not a folder"):
        opt.run()


def test_settings_without_effect_give_one_warning_each(caplog: pytest.LogCaptureFixture) -> None:
    opt = Opt()
    opt.enable_fp16()
    opt.set_quant_model(True)
    opt.set_quant_type("QUANT_INT16")
    opt.set_sparse_model(True)
    opt.set_sparse_threshold(0.5)
    opt.record_model_info(True)
    assert [record.getMessage().split(" has no effect")[0] for record in caplog.records] == [
        "paddlelite: enable_fp16",
        "paddlelite: set_quant_model",
        "paddlelite: set_sparse_model",
        "paddlelite: record_model_info",
    ]

    caplog.clear()
    opt.set_quant_model(False)
    opt.set_sparse_model(False)
    opt.record_model_info(False)
    assert caplog.records == []


def test_other_hardware_gives_a_warning(model: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    opt = Opt()
    opt.set_model_dir(model)
    opt.set_valid_places("x86_opencl, huawei_kirin_npu")
    opt.set_optimize_out(str(tmp_path / "out"))
    opt.run()
    assert {record.getMessage().split(" has no effect")[0] for record in caplog.records} == {
        "paddlelite: a place on OpenCL",
        "paddlelite: the device 'huawei_kirin_npu'",
    }


def test_added_passes_are_checked(model: str, tmp_path: Path) -> None:
    opt = Opt()
    opt.set_model_dir(model)
    opt.set_optimize_out(str(tmp_path / "out"))
    opt.set_passes_internal(["no_such_pass"])
    with pytest.raises(ConfigError, match="no_such_pass"):
        opt.run()


def test_a_supported_model_is_reported_as_supported(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    opt = Opt()
    opt.set_model_dir(model)
    assert opt.check_if_model_supported()
    assert capsys.readouterr().out.splitlines() == [
        "op               host",
        "elementwise_add  Y",
        "feed             Y",
        "fetch            Y",
        "relu             Y",
        "scale            Y",
        "This model is supported.",
    ]
    assert opt.check_if_model_supported(False)
    assert capsys.readouterr().out == "This model is supported.\n"


def test_an_op_with_a_canonical_form_is_supported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {},
        [("reshape", {"X": ["x"]}, {"Out": ["y"]}, {"shape": [2, -1]})],
        ["y"],
    )
    save_program(program, tmp_path / "m")
    opt = Opt()
    opt.set_model_dir(str(tmp_path / "m"))
    assert opt.check_if_model_supported()
    assert "reshape  Y" in capsys.readouterr().out


def test_all_unsupported_ops_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ops: list[OpText] = [(name, {"X": ["x"]}, {"Out": [name]}, {}) for name in ("zzz_op", "relu", "aaa_op")]
    save_program(make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, ops, ["zzz_op"]), tmp_path / "m")
    opt = Opt()
    opt.set_model_dir(str(tmp_path / "m"))
    assert not opt.check_if_model_supported()
    lines = capsys.readouterr().out.splitlines()
    assert "zzz_op" in lines
    assert lines[-1] == ("This model is not supported: 2 op types have no kernel on host: aaa_op, zzz_op")


def test_tables_list_all_ops_supported_ops_and_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    opt = Opt()
    opt.print_all_ops()
    every = capsys.readouterr().out.splitlines()
    opt.set_valid_places("host")
    opt.print_supported_ops()
    supported = capsys.readouterr().out.splitlines()
    opt.display_kernels_info()
    kernels = capsys.readouterr().out.splitlines()

    assert every[0].split()[:2] == ["op", "host"]
    assert {line.split()[0] for line in every[1:]} == {"feed", "fetch", *SCHEMAS}
    assert {line.split()[0] for line in supported} <= {line.split()[0] for line in every}
    assert supported[0].split() == ["op", "host"]
    assert all(line.split()[1:] == ["Y"] for line in supported[1:])
    assert any(line.startswith("conv2d: host/") for line in kernels)


def test_a_saved_model_is_drawn_as_dot(model: str, tmp_path: Path) -> None:
    opt = Opt()
    opt.set_model_dir(model)
    opt.set_optimize_out(str(tmp_path / "out"))
    opt.run()
    opt.visualize_optimized_nb_model(str(tmp_path / "out"), str(tmp_path / "pictures"))
    (picture,) = (tmp_path / "pictures").iterdir()
    assert picture.suffix == ".dot"
    assert "relu" in picture.read_text(encoding="utf-8")


def test_help_lists_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    opt = Opt()
    opt.help()
    named = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(named) == [name for name in dir(Opt) if not name.startswith("_")]
    assert {"set_model_dir", "run", "help"} <= set(named)
    opt.executablebin_help()
    assert "litebridge opt" in capsys.readouterr().out
    assert opt.version().startswith("v2.13")
