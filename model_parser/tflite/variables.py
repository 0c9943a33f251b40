"""Resource variables: values that an initialiser subgraph assigns and that operators read."""

from __future__ import annotations

from dataclasses import field

from lite.dataclass import dataclass
from lite.model_parser.tflite.tensors import Tensor


@dataclass(eq=False)
class ResourceVariables:
    """The initial value of each variable by its name; they may be assigned while `is_initialising`."""

    values: dict[str, Tensor] = field(default_factory=dict)
    is_initialising: bool = False
