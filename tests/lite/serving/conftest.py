"""The packages of the extra serve."""

import pytest

PACKAGES = ("grpc", "orjson", "uvicorn", "yaml")


@pytest.fixture(autouse=True, scope="session")
def packages() -> None:
    """Skip where a package is missing."""
    for name in PACKAGES:
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'litebridge[serve]'")
