"""The program of the peer in `lite.tools.bench.serving`."""

FASTAPI = '''\
"""A bare server: FastAPI, uvicorn and ONNX Runtime."""

import socket
import sys

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
[given] = session.get_inputs()
app = FastAPI()


@app.post("/infer")
async def infer(request: Request):
    shape = [int(size) for size in request.headers["x-shape"].split(",")]
    x = np.frombuffer(await request.body(), np.float32).reshape(shape)
    [y] = await run_in_threadpool(session.run, None, {given.name: x})
    return Response(y.tobytes(), media_type="application/octet-stream")


listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
config = uvicorn.Config(app, log_level="warning", access_log=False)
uvicorn.Server(config).run([listener])
'''
"""One endpoint that takes a float32 tensor as bytes, with its shape in a header."""
