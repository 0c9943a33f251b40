"""PP-OCR as an ensemble reads what the demo reads in one process."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from lite.tools.demo.ocr_repository.write import write_repository
from lite.tools.demo.sample_image import PICTURE, STRINGS
from tests.support.served_models import running_server


@pytest.mark.slow
@pytest.mark.needs_demo
def test_the_endpoint_reads_the_sample_picture(tmp_path: Path) -> None:
    for name in ("rapidocr_paddle", "grpc", "uvicorn", "yaml", "orjson"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    pytest.importorskip("cv2", reason="OpenCV does not load", exc_type=ImportError)
    write_repository(tmp_path)
    picture = PICTURE.read_bytes()
    data = struct.pack("<I", len(picture)) + picture
    entry = {
        "name": "file",
        "shape": [1],
        "datatype": "BYTES",
        "parameters": {"binary_data_size": len(data)},
    }
    head = json.dumps({"inputs": [entry]}).encode()

    with running_server(str(tmp_path)) as server:
        status, _, body = server.ask(
            "POST",
            "/v2/models/ocr/infer",
            head + data,
            {"Inference-Header-Content-Length": str(len(head))},
            seconds=300,
        )

    assert status == 200, body
    outputs = {each["name"]: each for each in json.loads(body)["outputs"]}
    assert outputs["texts"]["data"] == list(STRINGS)
    assert outputs["boxes"]["shape"] == [len(STRINGS), 4, 2]
    assert np.min(outputs["scores"]["data"]) > 0.8
