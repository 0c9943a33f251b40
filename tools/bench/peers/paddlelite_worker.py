"""Runs a Paddle model on Paddle-Lite, controlled by lines from stdin.

It imports nothing of litebridge, since its interpreter is too old for litebridge.  Arguments: the model's
folder, the folder of ``feed<n>.npy``, the number of threads.  The reply to ``run`` is the seconds of the
run; the reply to ``answers`` is the number of outputs, which are written as ``answer<n>.npy``.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from typing import Any

import numpy as np


def main(model: str, folder: str, threads: str) -> None:
    """Load the model, write ``0``, then reply to lines until the end of stdin."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that output of Paddle-Lite does not mix with the replies
    from paddlelite import lite

    config = lite.CxxConfig()
    config.set_model_file(os.path.join(model, "inference.pdmodel"))
    config.set_param_file(os.path.join(model, "inference.pdiparams"))
    targets = (lite.TargetType.X86, lite.TargetType.Host)
    config.set_valid_places([lite.Place(target, lite.PrecisionType.FP32) for target in targets])
    config.set_threads(int(threads))
    predictor = lite.create_paddle_predictor(config)
    feeds = [np.load(os.path.join(folder, f"feed{n}.npy")) for n in range(len(predictor.get_input_names()))]

    def run() -> list[Any]:
        for n, array in enumerate(feeds):
            predictor.get_input(n).from_numpy(array)
        predictor.run()
        return [predictor.get_output(n).numpy() for n in range(len(predictor.get_output_names()))]

    gc.disable()
    reply = 0.0
    while True:
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        line = sys.stdin.readline()
        if not line:
            return
        start = time.perf_counter()
        outputs = run()
        reply = time.perf_counter() - start
        if line.strip() == "answers":
            for n, array in enumerate(outputs):
                np.save(os.path.join(folder, f"answer{n}.npy"), array)
            reply = len(outputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
