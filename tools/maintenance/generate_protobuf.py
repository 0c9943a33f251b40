"""Generates the protobuf classes of Paddle's program format and of the Open Inference Protocol.

    pip install grpcio-tools==1.60.1
    python tools/maintenance/generate_protobuf.py

The version is pinned: code of this compiler does not check the version of the runtime, so that it works
with protobuf 4.25 to 7; code of later compilers needs their own release.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROTOS = ("lite/model_parser/paddle/framework.proto", "lite/serving/oip/oip.proto")
COMPILER = "1.60.1"


def main() -> int:
    """Write the .py and .pyi files beside each .proto file; returns the exit status."""
    try:
        version = metadata.version("grpcio-tools")
    except metadata.PackageNotFoundError:
        version = "none"
    if version != COMPILER:
        sys.stderr.write(
            f"expected grpcio-tools {COMPILER}, got {version}; run: pip install grpcio-tools=={COMPILER}\n"
        )
        return 1
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        "-Ilite=lite",
        "--python_out=.",
        "--pyi_out=.",
        *PROTOS,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
