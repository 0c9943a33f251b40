"""Installing the API under Paddle-Lite's module names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from lite.compat import paddle_inference, paddlelite
from tests.lite.compat.python_process import python

INSTALL = "from lite.compat import paddlelite\npaddlelite.install()\n"
USE = """
import paddlelite
import paddlelite.lite as one
from paddlelite import lite as two
from paddlelite.lite import *
assert one is two is paddlelite.lite
assert paddlelite.__version__ == "2.13"
config = CxxConfig()
config.set_valid_places([Place(TargetType.X86, PrecisionType.FP32, DataLayoutType.NCHW)])
config.set_power_mode(PowerMode.LITE_POWER_HIGH)
assert create_paddle_predictor is one.create_paddle_predictor
Opt(), MobileConfig(), CLTuneMode.CL_TUNE_NORMAL, CLPrecisionType.CL_PRECISION_AUTO
"""


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with another package named paddlelite."""
    (tmp_path / "paddlelite").mkdir()
    (tmp_path / "paddlelite" / "__init__.py").write_text("REAL = True\n")
    return tmp_path


def test_every_form_of_import_works(root: Path, real: Path) -> None:
    done = python(root, INSTALL + USE, real)
    assert (done.returncode, done.stderr) == (0, "")


def test_install_is_refused_after_the_real_package_is_imported(root: Path, real: Path) -> None:
    done = python(root, "import paddlelite\nfrom lite.compat import paddlelite as shim\nshim.install()", real)
    last = done.stderr.splitlines()[-1]
    assert done.returncode != 0
    assert last.startswith(
        "lite.errors.PluginError: the real paddlelite is already imported (paddlelite, from "
    )
    assert str(real) in last


def test_after_uninstall_the_real_package_is_found(root: Path, real: Path) -> None:
    done = python(root, INSTALL + "paddlelite.uninstall()\nimport paddlelite\nassert paddlelite.REAL", real)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_module_has_the_public_names() -> None:
    paddlelite.install()
    module = importlib.import_module("paddlelite.lite")
    assert set(module.__all__) == set(paddlelite.__all__) - {"install", "uninstall"}
    assert all(vars(module)[name] is vars(paddlelite)[name] for name in module.__all__)
    paddlelite.uninstall()
    assert [name for name in sys.modules if name.split(".")[0] == "paddlelite"] == []


def test_both_shims_can_be_installed_together() -> None:
    paddlelite.install()
    paddle_inference.install()
    assert importlib.import_module("paddle.inference").Config is paddle_inference.Config
    paddle_inference.uninstall()
    assert importlib.import_module("paddlelite.lite").CxxConfig is paddlelite.CxxConfig
