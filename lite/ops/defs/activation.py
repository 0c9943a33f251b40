"""Activations: elementwise functions that networks apply after a linear op."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from lite.ir.program import AttrValue
from lite.ops.attrs import choice
from lite.ops.clamp import Clamp
from lite.ops.rules import same_as
from lite.ops.schema import Canonical, Trait, op


def _activation(
    name: str,
    about: str,
    clamp: Callable[..., Clamp] | None = None,
    *,
    dtypes: str = "float",
    canonical: Canonical | None = None,
    **attrs: AttrValue,
) -> None:
    """Declare an activation; `clamp` takes its attributes by name."""
    op(
        name,
        about,
        f"X:{dtypes}",
        "Out",
        same_as("X"),
        attrs=attrs,
        traits=(Trait.ACTIVATION if clamp is None else Trait.CLAMP,),
        clamp=clamp,
        lod="X",
        inplace={"Out": "X"},
        canonical=canonical,
    )


def _as_swish(_: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    return {"beta": 1.0}


_activation("celu", "Continuous ELU: X where positive, alpha · (exp(X / alpha) - 1) elsewhere.", alpha=1.0)
_activation("elu", "Exponential linear unit: X where positive, alpha · (exp(X) - 1) elsewhere.", alpha=1.0)
_activation(
    "gelu", "Gaussian error linear unit: X · Φ(X); `approximate`: its form by tanh.", approximate=False
)
_activation(
    "hard_sigmoid",
    "Piecewise linear sigmoid: min(max(slope · X + offset, 0), 1).",
    lambda slope, offset: Clamp(slope, offset, 0.0, 1.0),
    slope=0.2,
    offset=0.5,
)
_activation(
    "hard_swish",
    "Piecewise linear swish: X · min(max(X + offset, 0), threshold) / scale.",
    lambda threshold, scale, offset: Clamp(1.0, offset, 0.0, threshold, gated=True, factor=1 / scale),
    threshold=6.0,
    scale=6.0,
    offset=3.0,
)
_activation("leaky_relu", "Leaky rectifier: X where positive, alpha · X elsewhere.", alpha=0.02)
_activation("logsigmoid", "Logarithm of the sigmoid: -log(1 + exp(-X)).")
_activation("mish", "Mish: X · tanh(softplus(X)).", threshold=20.0)
_activation(
    "relu", "Rectified linear unit: max(X, 0).", lambda: Clamp(low=0.0, high=math.inf), dtypes="number"
)
_activation(
    "relu6",
    "Rectified linear unit with a limit: min(max(X, 0), threshold).",
    lambda threshold: Clamp(low=0.0, high=threshold),
    threshold=6.0,
)
_activation(
    "relu_clipped",
    "Rectified linear unit with a limit (Paddle-Lite): min(max(X, 0), Relu_clipped_coef).",
    lambda Relu_clipped_coef: Clamp(low=0.0, high=Relu_clipped_coef),
    Relu_clipped_coef=6.0,
)
_activation(
    "selu",
    "Scaled ELU: scale · (X where positive, alpha · (exp(X) - 1) elsewhere).",
    scale=1.0507009873554805,
    alpha=1.6732632423543772,
)
_activation("sigmoid", "Logistic function: 1 / (1 + exp(-X)).")
_activation("silu", "Old spelling of swish with beta 1.", canonical=Canonical("swish", _as_swish))
_activation(
    "softplus",
    "Smooth rectifier: log(1 + exp(beta · X)) / beta; X where beta · X is above threshold.",
    beta=1.0,
    threshold=20.0,
)
_activation("softsign", "X / (1 + |X|).")
_activation("swish", "Swish, or SiLU: X / (1 + exp(-beta · X)).", beta=1.0)
_activation("tanh", "Hyperbolic tangent.")
_activation("thresholded_relu", "X where above threshold, 0 elsewhere.", threshold=1.0)

op(
    "prelu",
    "Parametric rectifier: X where positive, Alpha · X elsewhere.",
    "X:float Alpha:float",
    "Out",
    same_as("X"),
    attrs={"mode": choice("all", "channel", "element"), "data_format": choice("NCHW", "NHWC")},
    lod="X",
    inplace={"Out": "X"},
)
