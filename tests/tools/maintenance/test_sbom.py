"""The software bill of materials of a wheel."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("cyclonedx", reason="the bill is written by the extra dev")

from lite.tools.maintenance.sbom import main

METADATA = """\
Metadata-Version: 2.4
Name: litebridge
Version: 0.1.0
License-Expression: Apache-2.0
Requires-Dist: numpy<3,>=1.26; python_version < "3.13"
Requires-Dist: numpy<3,>=2.1; python_version >= "3.13"
Requires-Dist: not_installed_here<2,>=1
Requires-Dist: numba<0.69,>=0.62; extra == "jit"
Requires-Dist: pytest<10,>=8.3; extra == "dev"
"""


def bill(root: Path, folder: Path) -> tuple[dict[str, object], bytes]:
    wheel = folder / "litebridge-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("litebridge-0.1.0.dist-info/METADATA", METADATA)
        archive.writestr(
            "litebridge-0.1.0.dist-info/licenses/THIRD_PARTY.md", (root / "THIRD_PARTY.md").read_text()
        )
    output = folder / "sbom.json"
    result = CliRunner().invoke(main, [str(wheel), "-o", str(output)])
    assert result.exit_code == 0, result.output
    return json.loads(output.read_text()), wheel.read_bytes()


def test_the_bill_names_the_wheel_its_requirements_and_what_is_copied(root: Path, tmp_path: Path) -> None:
    document, wheel = bill(root, tmp_path)

    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    main_component = document["metadata"]["component"]  # type: ignore[index]
    assert main_component["name"] == "litebridge"
    assert main_component["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(wheel).hexdigest()}]
    components = {each["name"]: each for each in document["components"]}  # type: ignore[attr-defined]
    assert set(components) == {"numpy", "not_installed_here", "numba", "dagre", "tritonclient"}
    numpy = components["numpy"]
    assert numpy["version"] == importlib.metadata.version("numpy")
    assert numpy["scope"] == "required"
    assert numpy["properties"] == [{"name": "litebridge:allowed", "value": ">=1.26,<3"}]
    assert "BSD-3-Clause" in json.dumps(numpy["licenses"])
    assert "version" not in components["not_installed_here"]
    assert components["numba"]["scope"] == "optional"
    assert {"name": "litebridge:extra", "value": "jit"} in components["numba"]["properties"]
    assert components["dagre"]["purl"].startswith("pkg:npm/dagre@")
    assert components["dagre"]["licenses"] == [{"license": {"id": "MIT"}}]
