"""The message classes are those of the package onnx, whichever is imported first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.model_parser.onnx.small_onnx import small_models

READ = "import lite; lite.create_predictor(lite.Config(sys.argv[1]))"

SAME = """
import onnx
from lite.model_parser.onnx import messages
for name in messages.__all__:
    assert getattr(messages, name) is getattr(onnx, name), name
assert onnx.onnx_ml_pb2 is sys.modules["onnx.onnx_ml_pb2"]
model = onnx.load(sys.argv[1])
assert isinstance(model, messages.ModelProto)
assert isinstance(messages.ModelProto(), onnx.ModelProto)
assert type(pickle.loads(pickle.dumps(messages.ModelProto(ir_version=8)))) is onnx.ModelProto
onnx.checker.check_model(model)
assert type(onnx.helper.make_tensor("t", messages.TensorProto.FLOAT, [1], [2.0])) is messages.TensorProto
assert onnx.version_converter.convert_version(model, 18).opset_import[0].version == 18
"""

THREADS = """
import threading
start = threading.Barrier(2)
def first():
    start.wait()
    import onnx
    onnx.checker
threads = [threading.Thread(target=first)]
threads[0].start()
start.wait()
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(small_models()["layers"].SerializeToString())
    return path


def run(code: str, model: Path) -> None:
    command = [sys.executable, "-c", f"import sys, os, pickle\n{code}", str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_model_is_read_without_the_package(model: Path) -> None:
    run(f"{READ}\nassert not [name for name in sys.modules if name.split('.')[0] == 'onnx']", model)


def test_the_package_may_be_imported_after_a_model_is_read(model: Path) -> None:
    run(READ + SAME, model)


def test_the_package_may_be_imported_before(model: Path) -> None:
    run(f"import onnx\n{READ}{SAME}", model)


def test_the_package_may_be_imported_by_another_thread(model: Path) -> None:
    run(f"{THREADS}{READ}\nthreads[0].join(){SAME}", model)


def test_a_part_of_the_package_may_be_imported_first(model: Path) -> None:
    run(f"import onnx.helper\n{READ}{SAME}", model)


def test_pure_python_protobuf_has_one_class_for_each_message_too(model: Path) -> None:
    pure = "os.environ['PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION'] = 'python'"
    run(f"{pure}\n{READ}{SAME}", model)
    run(f"{pure}\nimport onnx\n{READ}{SAME}", model)
