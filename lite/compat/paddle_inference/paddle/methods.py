"""Functions of ``paddle`` that are methods of its tensors, too, as Paddle makes them."""

from __future__ import annotations

from lite.compat.paddle_inference.paddle import functional, manipulation, math, search
from lite.compat.paddle_inference.paddle.tensor import Tensor

_NO_METHODS = frozenset({"add_n", "concat", "einsum", "is_tensor", "one_hot", "relu", "relu6", "stack"})


def add_methods() -> None:
    """Add the functions that take a tensor first, except those that `Tensor` has itself."""
    own = (functional.softmax, functional.sigmoid)
    for function in (*manipulation.FUNCTIONS, *search.FUNCTIONS, *math.FUNCTIONS, *own):
        name = function.__name__
        if name not in _NO_METHODS and not hasattr(Tensor, name):
            setattr(Tensor, name, function)
