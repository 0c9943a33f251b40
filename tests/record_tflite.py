"""Records the outputs of the TFLite test models by TensorFlow Lite's interpreter.

Run ``python -m tests.record_tflite`` in an environment with numpy and ai-edge-litert.  It writes
``tests/data/tflite.npz``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.model_parser.tflite.models import Case, float_cases, quantised_cases

FILE = Path(__file__).resolve().parent / "data" / "tflite.npz"


def main() -> None:
    """Write the outputs of all models under ``name/number``."""
    arrays: dict[str, Any] = {}
    for case in (*float_cases(), *quantised_cases()):
        for number, output in enumerate(run(case)):
            arrays[f"{case.name}/{number}"] = output
    np.savez_compressed(FILE, **arrays)


def run(case: Case) -> list[np.ndarray]:
    """The outputs of a model by the kernels of the interpreter."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_content=case.model,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), case.inputs, strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


if __name__ == "__main__":
    main()
