"""The ops of squeeze-and-excitation become one op."""

from __future__ import annotations

import pytest

from tests.lite.passes.fuse.equal import check_fused

PASS = "squeeze_excite_fuse_pass"

POOL = '%m = pool2d(X=%x) {pooling_type="avg", global_pooling=true, ksize=[1, 1]} : float32[2,3,1,1]'
SQUEEZE = 'Output=%s = conv2d(Input=%m, Filter=%w, Bias=%b) {activation="relu"} : float32[2,2,1,1]'
EXCITE = 'Output=%g = conv2d(Input=%s, Filter=%v) {activation="hard_sigmoid", activation_params=[0.2, 0.5]}'
PRODUCT = "%y = elementwise_mul(X=%x, Y=%g) : float32[2,3,4,5]"
PARTS = ["pool2d", "conv2d", "conv2d", "elementwise_mul"]


def graph(
    pool: str = POOL, squeeze: str = SQUEEZE, excite: str = EXCITE, product: str = PRODUCT, more: str = ""
) -> str:
    return f"""
    graph main(%x: float32[2,3,4,5], %z: float32[2,3,4,5]) {{
      %w = const float32[2,3,1,1] random(1)
      %b = const float32[2] random(2)
      %v = const float32[3,2,1,1] random(3)
      %p = const float32[3] random(4)
      {pool}
      {squeeze}
      {excite} : float32[2,3,1,1]
      {product}
      return %y{more}
    }}
    """


@pytest.mark.parametrize(
    "text",
    [
        graph(),
        graph(product=PRODUCT.replace("X=%x, Y=%g", "X=%g, Y=%x")),
        graph(pool=POOL.replace("global_pooling=true", "adaptive=true")),
        graph(squeeze=SQUEEZE.replace(' {activation="relu"}', "")),
        graph(excite=EXCITE.replace("Filter=%v", "Filter=%v, PostScale=%p, PostShift=%p")),
    ],
    ids=["plain", "gate first", "adaptive", "no activation", "after the gate"],
)
def test_squeeze_and_excitation_is_fused(text: str) -> None:
    check_fused(PASS, text, ["squeeze_excite"])


@pytest.mark.parametrize(
    "text",
    [
        graph(more=", %g"),
        graph(more=", %s"),
        graph(more=", %m"),
        graph(pool=POOL.replace("X=%x", "X=%z")),
        graph(pool=POOL.replace("avg", "max")),
        graph(product=PRODUCT.replace(" : ", " {scale=2.0} : ")),
        graph(squeeze=SQUEEZE.replace("Bias=%b", "Bias=%b, PostScale=%b")),
    ],
    ids=[
        "gate returned",
        "inner returned",
        "means returned",
        "other image",
        "maximum",
        "scaled",
        "after the inner",
    ],
)
def test_other_graphs_are_not_fused(text: str) -> None:
    check_fused(PASS, text, PARTS)
