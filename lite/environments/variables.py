"""The environment variables of a worker with an interpreter of its own."""

from __future__ import annotations

from collections.abc import Mapping

_OF_PYTHON = ("PYTHON", "VIRTUAL_ENV", "CONDA_", "__PYVENV", "COV_CORE_", "COVERAGE_", "PYTEST_", "PIP_TARGET", "PIP_PREFIX",
              "PIP_USER", "PIP_REQUIRE_VIRTUALENV")  # fmt: skip
"""Prefixes of the variables that lead one interpreter to the packages of another, or pip to another place."""


def clean_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables without those that lead an interpreter to the user's packages."""
    kept = {name: text for name, text in variables.items() if not name.startswith(_OF_PYTHON)}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
