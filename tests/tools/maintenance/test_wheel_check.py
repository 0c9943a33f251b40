"""Problems that the wheel check finds."""

from __future__ import annotations

from pathlib import Path

from lite.tools.maintenance.wheel_check import files_to_ship, wheel_problem

EXPECTED = {"lite/__init__.py", "lite/kernels/host/relu.py"}
META = "litebridge-0.1.0.dist-info/METADATA"


def test_a_complete_wheel_has_no_problem() -> None:
    assert wheel_problem([*EXPECTED, META], EXPECTED) is None


def test_a_second_top_level_name_is_a_problem() -> None:
    problem = wheel_problem([*EXPECTED, META, "kernels/__init__.py"], EXPECTED)
    assert problem == "expected the wheel to have only the top-level name 'lite', got kernels, lite"


def test_a_missing_file_is_a_problem() -> None:
    problem = wheel_problem(["lite/__init__.py", META], EXPECTED)
    assert problem is not None
    assert problem.startswith("the wheel lacks lite/kernels/host/relu.py; check")


def test_an_unexpected_file_is_a_problem() -> None:
    problem = wheel_problem([*EXPECTED, "lite/old.py"], EXPECTED)
    assert problem == "the wheel has lite/old.py, which the checkout lacks"


def test_links_are_followed_and_caches_and_excluded_parts_are_left_out(tmp_path: Path) -> None:
    for name in ("lite/__pycache__", "kernels/host", "kernels/bench/deep", "lite/.cache"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "setup.cfg").write_text(
        "[options.packages.find]\nexclude =\n    lite.kernels.bench*\n    lite.only_here\n"
    )
    (tmp_path / "lite" / "kernels").symlink_to(Path("..") / "kernels")
    for name in (
        "lite/a.py",
        "lite/py.typed",
        "lite/__pycache__/a.pyc",
        "lite/.cache/x",
        "lite/.hidden",
        "lite/only_here.py",
        "lite/only_here_too.py",
        "kernels/host/relu.py",
        "kernels/bench/speed.py",
        "kernels/bench/deep/speed.py",
    ):
        (tmp_path / name).write_text("")

    assert files_to_ship(tmp_path) == {
        "lite/a.py",
        "lite/only_here_too.py",
        "lite/py.typed",
        "lite/kernels/host/relu.py",
    }
