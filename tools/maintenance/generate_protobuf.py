"""Regenerate the protobuf classes of Paddle's program format from its .proto file.

    pip install grpcio-tools==1.60.1
    python tools/maintenance/generate_protobuf.py

The pin is deliberate: code from this compiler checks no runtime version, so that it works with every
protobuf from 4.25 to 7; later compilers tie it to their own release.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROTO = "lite/model_parser/paddle/framework.proto"
COMPILER = "1.60.1"


def main() -> int:
    """Write framework_pb2.py and framework_pb2.pyi beside the .proto file; the exit status."""
    try:
        found = metadata.version("grpcio-tools")
    except metadata.PackageNotFoundError:
        found = "none"
    if found != COMPILER:
        sys.stderr.write(f"grpcio-tools {COMPILER} is needed, found {found}; see the top of this file\n")
        return 1
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        "-Ilite=lite",
        "--python_out=.",
        "--pyi_out=.",
        PROTO,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
