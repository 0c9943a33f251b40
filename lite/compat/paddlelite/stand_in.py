"""Puts this package under Paddle-Lite's module names, and takes it away again."""

from __future__ import annotations

from collections.abc import Callable

from lite.compat.paddlelite import enums
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.mobile_config import MobileConfig
from lite.compat.paddlelite.opt import Opt
from lite.compat.paddlelite.place import Place
from lite.compat.paddlelite.predictor import CxxPredictor, LightPredictor, create_paddle_predictor
from lite.compat.paddlelite.tensor import Tensor
from lite.compat.paddlelite.version import PADDLE_LITE_VERSION
from lite.compat.stand_in import StandIn

_MEMBERS: dict[str, tuple[Callable[..., object], ...]] = {
    "paddlelite": (),
    "paddlelite.lite": (
        CxxConfig,
        CxxPredictor,
        LightPredictor,
        MobileConfig,
        Opt,
        Place,
        Tensor,
        create_paddle_predictor,
        enums.CLPrecisionType,
        enums.CLTuneMode,
        enums.DataLayoutType,
        enums.MLUCoreVersion,
        enums.PowerMode,
        enums.PrecisionType,
        enums.QuantType,
        enums.TargetType,
    ),
}
"""Modules, parents first, and what each has under its own name."""

STAND_IN = StandIn("paddlelite", "paddlelite", _MEMBERS, PADDLE_LITE_VERSION)


def install() -> None:
    """Make ``import paddlelite`` and ``from paddlelite.lite import *`` find this package.

    Raises `PluginError` when the real package is imported already.
    """
    STAND_IN.install()


def uninstall() -> None:
    """Undo `install`; the next ``import paddlelite`` finds the real package or none.

    Modules that imported the stand-in keep it.
    """
    STAND_IN.uninstall()
