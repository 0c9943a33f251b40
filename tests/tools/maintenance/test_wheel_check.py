"""What the wheel check finds wrong."""

from __future__ import annotations

from pathlib import Path

from lite.tools.maintenance.wheel_check import to_ship, wheel_problem

EXPECTED = {"lite/__init__.py", "lite/kernels/host/relu.py"}
META = "litebridge-0.1.0.dist-info/METADATA"


def test_a_wheel_as_it_should_be() -> None:
    assert wheel_problem([*EXPECTED, META], EXPECTED) is None


def test_a_second_top_level_name() -> None:
    problem = wheel_problem([*EXPECTED, META, "kernels/__init__.py"], EXPECTED)
    assert problem == "the wheel's top-level names are kernels, lite; only 'lite' may be there"


def test_a_file_left_out() -> None:
    problem = wheel_problem(["lite/__init__.py", META], EXPECTED)
    assert problem is not None
    assert problem.startswith("the wheel lacks lite/kernels/host/relu.py: see")


def test_a_file_too_many() -> None:
    problem = wheel_problem([*EXPECTED, "lite/old.py"], EXPECTED)
    assert problem == "the wheel holds lite/old.py, which the checkout does not"


def test_what_to_ship_follows_links_and_leaves_out_caches(tmp_path: Path) -> None:
    for name in ("lite/__pycache__", "kernels/host", "lite/.cache"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "lite" / "kernels").symlink_to(Path("..") / "kernels")
    for name in (
        "lite/a.py",
        "lite/py.typed",
        "lite/__pycache__/a.pyc",
        "lite/.cache/x",
        "lite/.hidden",
        "kernels/host/relu.py",
    ):
        (tmp_path / name).write_text("")

    assert to_ship(tmp_path) == {"lite/a.py", "lite/py.typed", "lite/kernels/host/relu.py"}
