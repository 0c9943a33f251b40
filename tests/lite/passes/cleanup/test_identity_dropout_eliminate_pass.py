"""dropout at inference is removed."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "identity_dropout_eliminate_pass"


@pytest.mark.parametrize(
    "attrs",
    ['dropout_implementation="upscale_in_train", dropout_prob=0.1', "dropout_prob=0.0"],
)
def test_dropout_is_removed_and_the_result_keeps_its_name(attrs: str) -> None:
    check(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %a = relu(X=%x)
          %b, Mask=%m = dropout(X=%a) {{{attrs}}}
          %c = tanh(X=%b)
          return %b, %c
        }}
        """,
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x)
          %c = tanh(X=%a)
          return b=%a, %c
        }
        """,
    )


@pytest.mark.parametrize(
    ("attrs", "results"),
    [
        ("dropout_prob=0.5", "%b"),
        ('dropout_implementation="downgrade_in_infer", dropout_prob=0.5', "%b"),
        ('dropout_implementation="upscale_in_train"', "%b, %m"),
    ],
)
def test_dropout_that_scales_or_whose_mask_is_read_is_kept(attrs: str, results: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %b, Mask=%m = dropout(X=%x) {{{attrs}}}
          return {results}
        }}
        """,
    )
