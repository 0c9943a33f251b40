"""The Python API of Paddle-Lite, ``paddlelite.lite``, implemented by litebridge.

Either import from here, or `install` these modules under Paddle-Lite's names and run a program that does
``from paddlelite.lite import *`` unchanged:

>>> from lite.compat import paddlelite
>>> paddlelite.install()
>>> from paddlelite.lite import CxxConfig
>>> CxxConfig is paddlelite.CxxConfig
True
>>> paddlelite.uninstall()

Names, arguments and defaults are those of Paddle-Lite 2.13.  Where Paddle-Lite aborts the process or
computes with a wrong element type, litebridge raises an error of `lite.errors`.  Settings for hardware that
litebridge does not use are stored; a model that asks for such hardware gives one warning.  Optimised models
are saved as Paddle models.  Paddle-Lite's naive buffers (``.nb``) are read, not written.
"""

from __future__ import annotations

from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.enums import (
    CLPrecisionType,
    CLTuneMode,
    DataLayoutType,
    MLUCoreVersion,
    PowerMode,
    PrecisionType,
    QuantType,
    TargetType,
)
from lite.compat.paddlelite.environment import PADDLE_LITE_VERSION
from lite.compat.paddlelite.mobile_config import MobileConfig
from lite.compat.paddlelite.opt import Opt
from lite.compat.paddlelite.place import Place
from lite.compat.paddlelite.predictor import CxxPredictor, LightPredictor, create_paddle_predictor
from lite.compat.paddlelite.tensor import Tensor
from lite.compat.shim import ModuleShim, named

__all__ = [
    "CLPrecisionType",
    "CLTuneMode",
    "CxxConfig",
    "CxxPredictor",
    "DataLayoutType",
    "LightPredictor",
    "MLUCoreVersion",
    "MobileConfig",
    "Opt",
    "Place",
    "PowerMode",
    "PrecisionType",
    "QuantType",
    "TargetType",
    "Tensor",
    "create_paddle_predictor",
    "install",
    "uninstall",
]

_SHIM = ModuleShim(
    "paddlelite",
    "paddlelite",
    {
        "paddlelite": {},
        "paddlelite.lite": named(
            (
                CLPrecisionType,
                CLTuneMode,
                CxxConfig,
                CxxPredictor,
                DataLayoutType,
                LightPredictor,
                MLUCoreVersion,
                MobileConfig,
                Opt,
                Place,
                PowerMode,
                PrecisionType,
                QuantType,
                TargetType,
                Tensor,
                create_paddle_predictor,
            )
        ),
    },
    PADDLE_LITE_VERSION,
)


def install() -> None:
    """Make ``import paddlelite`` and ``from paddlelite.lite import *`` find this package.

    Raises `PluginError` if the real package is already imported.
    """
    _SHIM.install()


def uninstall() -> None:
    """Undo `install`; the next ``import paddlelite`` finds the real package or none.

    Modules that imported the shim keep it.
    """
    _SHIM.uninstall()
