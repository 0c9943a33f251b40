"""Record Paddle's results of small models, in an environment with Paddle 3.3.1::

    python -m tests.record_paddle_ops pir && python -m tests.record_paddle_ops legacy

Each format is written to ``tests/data/paddle_ops_<format>.tar.xz``: for each expression of `CASES` the model
that Paddle saves, and the inputs and outputs of Paddle's predictor as ``.npz``.
"""

from __future__ import annotations

import io
import os
import sys
import tarfile
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.paddle_op_cases import CASES, inputs_of

DATA = Path(__file__).parent / "data"
SUFFIX = {"pir": ".json", "legacy": ".pdmodel"}


def main(form: str) -> None:
    """Write the models of one format; a case that Paddle cannot save or run in it is left out."""
    os.environ["FLAGS_enable_pir_api"] = "1" if form == "pir" else "0"  # noqa: SIM112 - Paddle's name
    import paddle  # noqa: F401 - once, before the processes start

    files: dict[str, bytes] = {}
    with tarfile.open(DATA / f"paddle_ops_{form}.tar.xz", "w:xz", preset=9) as archive:
        for name, (expression, feeds) in CASES.items():
            # A process of its own: some cases end it.
            try:
                with ProcessPoolExecutor(1) as pool:
                    arguments = expression, inputs_of(name, feeds), SUFFIX[form]
                    model, arrays = pool.submit(_recorded, *arguments).result()
            except Exception as error:  # noqa: BLE001 - whatever Paddle raises
                sys.stdout.write(f"{name}: {str(error).strip().splitlines()[-1]}\n")
                continue
            buffer = io.BytesIO()
            np.savez(buffer, **arrays)
            files |= {f"{name}{SUFFIX[form]}": model, f"{name}.npz": buffer.getvalue()}
        # Models of one kind after the other, which have most of their bytes in common.
        for name in sorted(files, key=lambda name: (Path(name).suffix, name)):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))


def _recorded(expression: str, inputs: dict[str, Any], suffix: str) -> tuple[bytes, dict[str, Any]]:
    import paddle
    import paddle.inference

    paddle.enable_static()
    program = paddle.static.Program()
    with tempfile.TemporaryDirectory() as folder, paddle.static.program_guard(program):
        feeds = {name: paddle.static.data(name, x.shape, str(x.dtype)) for name, x in inputs.items()}
        results = _flat(eval(expression, {"paddle": paddle, **feeds}))
        path, runner = f"{folder}/inference", paddle.static.Executor(paddle.CPUPlace())
        paddle.static.save_inference_model(path, list(feeds.values()), results, runner, program=program)
        config = paddle.inference.Config(path + suffix, "")
        config.disable_glog_info()
        predictor = paddle.inference.create_predictor(config)
        for name in predictor.get_input_names():
            predictor.get_input_handle(name).copy_from_cpu(np.ascontiguousarray(inputs[name]))
        predictor.run()
        outputs = [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]
        model = Path(path + suffix).read_bytes()
    used = {f"in_{name}": inputs[name] for name in predictor.get_input_names()}
    return model, used | {f"out_{number}": value for number, value in enumerate(outputs)}


def _flat(results: Any) -> list[Any]:
    if isinstance(results, list | tuple):
        return [item for result in results for item in _flat(result)]
    return [results]


if __name__ == "__main__":
    main(sys.argv[1])
