"""The environment variables of a worker with an interpreter of its own."""

from __future__ import annotations

from collections.abc import Mapping

_DROPPED = ("PYTHON", "VIRTUAL_ENV", "CONDA_", "__PYVENV", "COV_", "COVERAGE_", "PYTEST_")
_DROPPED_OF_PIP = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")


def clean_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables without those that lead an interpreter to other packages, or pip to other folders."""
    dropped = (*_DROPPED, *_DROPPED_OF_PIP)
    kept = {name: text for name, text in variables.items() if not name.startswith(dropped)}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
