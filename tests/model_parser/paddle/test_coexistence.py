"""The descriptors of Paddle and of litebridge can be loaded in one process, in either order."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

LITEBRIDGE = "from lite.model_parser.paddle.framework_pb2 import ProgramDesc"
PADDLE = """
from google.protobuf import descriptor_pb2, descriptor_pool
file = descriptor_pb2.FileDescriptorProto(
    name="framework.proto", package="paddle.framework.proto", syntax="proto2"
)
for name in ("Version", "OpDesc", "VarType", "VarDesc", "BlockDesc", "OpVersionMap", "ProgramDesc"):
    message = file.message_type.add(name=name)
    message.field.add(name="version", number=4, type=3, label=1)
file.enum_type.add(name="AttrType").value.add(name="INT", number=0)
pool = descriptor_pool.Default()
pool.AddSerializedFile(file.SerializeToString())
"""
CHECK = """
paddle = pool.FindMessageTypeByName("paddle.framework.proto.ProgramDesc")
assert [field.name for field in paddle.fields] == ["version"]
assert [field.name for field in ProgramDesc.DESCRIPTOR.fields] == ["blocks", "version", "op_version_map"]
"""


@pytest.mark.parametrize(
    "parts", [(LITEBRIDGE, PADDLE), (PADDLE, LITEBRIDGE)], ids=["litebridge first", "paddle first"]
)
def test_both_descriptors_load_in_either_order(parts: tuple[str, str]) -> None:
    code = "\n".join([*parts, CHECK])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
