"""The part of ``paddle.inference`` that deployed code uses, on our engine.

Either import from here, or `install` this under Paddle's module names and run code that does
``from paddle import inference`` unchanged:

>>> from lite.compat import paddle_inference
>>> paddle_inference.install()
>>> from paddle import inference
>>> inference.Config is paddle_inference.Config
True
>>> paddle_inference.uninstall()

Names, arguments and defaults are those of Paddle 2.6.  What configures hardware or libraries that are
not there is accepted, with one warning.
"""

from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.enums import (
    DataType,
    PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
)
from lite.compat.paddle_inference.mixed_precision import convert_to_mixed_precision
from lite.compat.paddle_inference.pass_builder import PassStrategy
from lite.compat.paddle_inference.predictor import Predictor, create_predictor
from lite.compat.paddle_inference.predictor_pool import PredictorPool
from lite.compat.paddle_inference.stand_in import install, uninstall
from lite.compat.paddle_inference.tensor import Tensor
from lite.compat.paddle_inference.version import get_trt_compile_version, get_trt_runtime_version, get_version

__all__ = [
    "Config",
    "DataType",
    "PassStrategy",
    "PlaceType",
    "PrecisionType",
    "Predictor",
    "PredictorPool",
    "Tensor",
    "convert_to_mixed_precision",
    "create_predictor",
    "get_num_bytes_of_data_type",
    "get_trt_compile_version",
    "get_trt_runtime_version",
    "get_version",
    "install",
    "uninstall",
]
