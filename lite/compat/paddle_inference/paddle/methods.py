"""Functions of ``paddle`` that are methods of its tensors, too, as in Paddle."""

from __future__ import annotations

from lite.compat.paddle_inference.paddle import functional, manipulation, math, search
from lite.compat.paddle_inference.paddle.tensor import METHODS

_NO_METHODS = frozenset({"add_n", "concat", "einsum", "is_tensor", "stack"})


def add_methods() -> None:
    """Fill `METHODS` with the functions that take a tensor first; methods of the class come before them."""
    own = (functional.softmax, functional.sigmoid)
    for function in (*manipulation.FUNCTIONS, *search.FUNCTIONS, *math.FUNCTIONS, *own):
        if function.__name__ not in _NO_METHODS:
            METHODS[function.__name__] = function
