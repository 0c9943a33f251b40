"""Installing the API under Paddle's module names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from lite.compat import paddle_inference
from lite.errors import ConfigError
from tests.lite.compat.python_process import python

USE = """
import paddle
import paddle.inference as one
from paddle import inference as two
import paddle.device
from paddle.inference import Config, create_predictor
assert one is two is paddle.inference
assert paddle.__version__.split(".")[0] == "3"
assert not paddle.device.is_compiled_with_rocm()
assert not paddle.device.is_compiled_with_cuda() and not paddle.is_compiled_with_cuda()
assert paddle.device.cuda.device_count() == 0
assert paddle.set_device("cpu") == paddle.get_device() == "cpu"
"""
INSTALL = "from lite.compat import paddle_inference\npaddle_inference.install()\n"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with another package named paddle."""
    (tmp_path / "paddle").mkdir()
    (tmp_path / "paddle" / "__init__.py").write_text("REAL = True\n")
    return tmp_path


def test_every_form_of_import_works(root: Path) -> None:
    done = python(root, INSTALL + USE)
    assert (done.returncode, done.stderr) == (0, "")


def test_other_modules_of_paddle_are_not_found(root: Path) -> None:
    done = python(root, INSTALL + "import paddle.audio")
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'paddle.audio'"


def test_the_shim_hides_a_real_package_that_is_not_imported(root: Path, real: Path) -> None:
    done = python(root, INSTALL + USE, real)
    assert (done.returncode, done.stderr) == (0, "")


def test_install_is_refused_after_the_real_package_is_imported(root: Path, real: Path) -> None:
    done = python(root, "import paddle\n" + INSTALL, real)
    last = done.stderr.splitlines()[-1]

    assert done.returncode != 0
    assert last.startswith("lite.errors.PluginError: the real paddle is already imported (paddle, from ")
    assert str(real) in last
    assert "install() before any module imports paddle" in last


def test_uninstall_keeps_an_imported_real_package(root: Path, real: Path) -> None:
    done = python(
        root,
        "import paddle\nfrom lite.compat import paddle_inference\npaddle_inference.uninstall()\n"
        "import sys; assert sys.modules['paddle'] is paddle and paddle.REAL",
        real,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_after_uninstall_the_real_package_is_found(root: Path, real: Path) -> None:
    done = python(root, INSTALL + "paddle_inference.uninstall()\nimport paddle\nassert paddle.REAL", real)
    assert (done.returncode, done.stderr) == (0, "")


def test_install_adds_modules_and_uninstall_removes_them() -> None:
    before = {name for name in sys.modules if name.split(".")[0] == "paddle"}
    paddle_inference.install()
    inference = importlib.import_module("paddle.inference")

    assert before == set()
    assert inference is sys.modules["paddle.inference"]
    assert importlib.util.find_spec("paddle.inference") is inference.__spec__
    public = {name for name in vars(inference) if not name.startswith("__")}
    assert public == set(paddle_inference.__all__) - {"PassStrategy", "install", "uninstall"}
    assert all(vars(inference)[name] is vars(paddle_inference)[name] for name in public)

    paddle_inference.uninstall()
    assert [name for name in sys.modules if name.split(".")[0] == "paddle"] == []
    paddle_inference.uninstall()


def test_a_second_install_replaces_the_settings_and_keeps_the_modules() -> None:
    paddle_inference.install(threads=2)
    inference = importlib.import_module("paddle.inference")
    config = paddle_inference.Config("m")
    assert (config.to_lite().threads, config.to_lite().devices) == (2, ())

    paddle_inference.install(["a_device"], threads=4)
    assert importlib.import_module("paddle.inference") is inference
    assert (config.to_lite().threads, config.to_lite().devices) == (4, ("a_device",))

    config.set_cpu_math_library_num_threads(3)
    assert config.to_lite().threads == 3
    paddle_inference.install()
    assert config.to_lite().devices == ()


def test_an_unknown_device_is_refused_when_a_predictor_is_created(model: str) -> None:
    paddle_inference.install(["a_device"])
    with pytest.raises(ConfigError, match="a_device"):
        paddle_inference.create_predictor(paddle_inference.Config(model))


def test_install_refuses_wrong_settings_and_changes_nothing() -> None:
    with pytest.raises(ConfigError, match="threads: expected 1 or more, got 0"):
        paddle_inference.install(threads=0)
    with pytest.raises(ConfigError, match="devices: expected a list of names"):
        paddle_inference.install("cpu")
    assert "paddle" not in sys.modules


def test_set_device_warns_of_another_device(caplog: pytest.LogCaptureFixture) -> None:
    paddle_inference.install()
    paddle = importlib.import_module("paddle")
    assert paddle.set_device("gpu:0") == "cpu"
    assert [record.levelname for record in caplog.records] == ["WARNING"]
