"""The Python API of Paddle-Lite, ``paddlelite.lite``, on our engine.

Either import from here, or `install` this under Paddle-Lite's module names and run code that does
``from paddlelite.lite import *`` unchanged:

>>> from lite.compat import paddlelite
>>> paddlelite.install()
>>> from paddlelite.lite import CxxConfig
>>> CxxConfig is paddlelite.CxxConfig
True
>>> paddlelite.uninstall()

Names, arguments and defaults are those of Paddle-Lite 2.13.  Where it aborts the process or computes
with the wrong element type, errors of ours are raised.  Settings for hardware that is not there are
kept; what asks for it is answered with one warning.  Optimised models are saved as Paddle models, not
as Paddle-Lite's naive buffers, which are not read either.
"""

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
from lite.compat.paddlelite.mobile_config import MobileConfig
from lite.compat.paddlelite.opt import Opt
from lite.compat.paddlelite.place import Place
from lite.compat.paddlelite.predictor import CxxPredictor, LightPredictor, create_paddle_predictor
from lite.compat.paddlelite.stand_in import install, uninstall
from lite.compat.paddlelite.tensor import Tensor

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
