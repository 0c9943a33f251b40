"""Runs the demo and the checks of a checkout: ``python3 tools/dev.py demo | test | lint | docs | clean``.

It needs only the standard library, so that it runs before anything is installed.  The commands use a virtual
environment in the checkout, which is created on first use and again when setup.cfg or pyproject.toml change.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKS = ("bridges", "emitters", "kernels", "model_parser", "tools")
LOWEST = (3, 10)
DEMO_BELOW = (3, 13)
"""The first version of Python that the packages of the demo do not support."""
SUITES = ("tests/suite", "tests/soak")
"""The tests of whole models and long runs, which coverage leaves out."""
PYTEST = ("-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")

EXTRAS = {
    "test": "dev,docs,peers,demo,jit,openvino,onnxruntime,litert,coreml,ethos-u,serve,traces",
    "demo": "demo",
}
LONG = 18
"""The exit status of the long checks."""
FORMATS = ("paddle", "pir", "onnx", "pnnx", "tflite")
NO_PYTHON, BROKEN_LINKS, NO_ENVIRONMENT = 3, 4, 5
GENERATED = (
    ".venv*",
    ".*_cache",
    ".coverage*",
    ".hypothesis",
    "*.egg-info",
    "build",
    "dist",
    "demo_output",
)

HELP = """\
commands:
  demo    read the text of a picture with Paddle OCR models and litebridge
  test    run all checks: format, lint, imports, types, docs, tests, wheel; with --long also coverage,
          kernels with bounds checks, random graphs, damaged models and soaks (over an hour)
  lint    run the checks that only read the source: format, lint, imports, types
  docs    build the site in build/site, with warnings as errors
  clean   remove environments, caches, builds and the output of the demo

examples:
  python3 tools/dev.py test                         all checks, as in CI
  python3 tools/dev.py test --fast -- -k softmax    lint, then some tests, without site and wheel
  python3 tools/dev.py demo --python python3.12     the demo with another interpreter

Arguments after -- are passed to pytest (test) or to the demo (demo).

exit status: 0 success, 2 wrong usage, 3 no suitable Python, 4 broken links under lite/, 5 no environment,
11 format, 12 lint, 13 imports, 14 types, 15 tests, 16 wheel, 17 docs, 18 long checks;
otherwise, demo returns the exit status of the demo.
"""


class DevError(Exception):
    """A message for the user, and the exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Step:
    """A check: its name, the exit status if it fails, and its command."""

    name: str
    status: int
    command: tuple[str, ...]
    checked: bool = False
    """Whether the compiled kernels check their bounds in this step."""


def echo(text: str) -> None:
    """Print a line of progress without buffering."""
    print(text, flush=True)


def link_problem(root: Path) -> str | None:
    """A message if a link under lite/ is broken, or None."""
    broken = [name for name in LINKS if not (root / "lite" / name).is_dir()]
    if not broken:
        return None
    names = ", ".join(f"lite/{name}" for name in broken)
    return (
        f"{names}: expected a symbolic link to a folder (did git check it out as a text file?); run "
        "'git config core.symlinks true' and 'git checkout -- lite'; Windows also needs its developer mode"
    )


def fingerprint(root: Path, *parts: str) -> str:
    """A hash of `parts` and of the files that describe an environment; it changes if they do."""
    state = hashlib.sha256()
    for data in [(root / name).read_bytes() for name in ("setup.cfg", "pyproject.toml")]:
        state.update(len(data).to_bytes(8, "big") + data)
    for part in parts:
        state.update(len(part).to_bytes(8, "big") + part.encode())
    return state.hexdigest()


def python_version(python: str) -> tuple[int, int] | None:
    """The (major, minor) version of an interpreter, or None if it does not exist or does not run."""
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30)
        major, minor = done.stdout.split()
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return int(major), int(minor)


def pythons_on_path(path: str) -> list[str]:
    """The interpreters in the folders of `path` that run and that the demo's packages support."""
    pythons = []
    for minor in range(DEMO_BELOW[1] - 1, LOWEST[1] - 1, -1):
        names = (os.path.join(folder, f"python3.{minor}") for folder in path.split(os.pathsep) if folder)
        # A version manager may have a script for a version that is not active, which does not run.
        pythons += [name for name in names if os.path.isfile(name) and python_version(name) == (3, minor)][:1]
    return pythons


def version_problem(version: tuple[int, int], command: str) -> str | None:
    """A message with advice if `command` does not support this version of Python, or None."""
    text = "{}.{}".format(*version)
    if version < LOWEST:
        return f"litebridge needs Python {LOWEST[0]}.{LOWEST[1]} or newer, got {text}; use --python"
    if command != "demo" or version < DEMO_BELOW:
        return None
    pythons = pythons_on_path(os.environ.get("PATH", ""))
    advice = (
        f"run 'python3 tools/dev.py demo --python {pythons[0]}' (on PATH: {', '.join(pythons)})"
        if pythons
        else "install Python 3.12 and run 'python3 tools/dev.py demo --python python3.12'"
    )
    return f"the demo needs rapidocr_paddle, which has no release for Python {text}; {advice}"


def script(venv: Path, name: str) -> str:
    """The path of a program in a virtual environment."""
    return str(venv / ("Scripts" if os.name == "nt" else "bin") / name)


def call(command: Sequence[str], cwd: Path = ROOT, quiet: bool = False, checked: bool = False) -> int:
    """Run a command and return its exit status; with `quiet`, print its output only if it fails.

    With `checked` the compiled kernels check their bounds.
    """
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    if checked:
        env["LITEBRIDGE_CHECKED"] = "1"
    if not quiet:
        return subprocess.run(list(command), cwd=cwd, env=env).returncode
    pipe, join = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(list(command), cwd=cwd, env=env, text=True, stdout=pipe, stderr=join)
    if done.returncode:
        echo(done.stdout)
    return done.returncode


def install(python: str, *arguments: str) -> None:
    """Install packages with pip; raises `DevError` if pip fails, which prints the reason."""
    pip = [python, "-m", "pip", "--no-input", "--disable-pip-version-check", "install", "-qq"]
    if call([*pip, *arguments]):
        raise DevError(
            f"pip could not install {' '.join(arguments)}; its output above has the reason", NO_ENVIRONMENT
        )


def replace_opencv(python: str) -> None:
    """Install OpenCV without its GUI if the system has no OpenGL library, as on servers."""
    probe = "import importlib.util as u; u.find_spec('cv2') and __import__('cv2')"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if "cannot open shared object file" not in last:
        raise DevError(f"the demo's OpenCV cannot be imported: {last}", NO_ENVIRONMENT)
    echo(f"opencv-python cannot be loaded ({last}); installing opencv-python-headless instead")
    call([python, "-m", "pip", "--no-input", "uninstall", "-qq", "--yes", "opencv-python"])
    install(python, "--force-reinstall", "--no-deps", "opencv-python-headless")


def constraints_file(version: tuple[int, int]) -> Path:
    """The file with the versions of packages that were tested with a version of Python."""
    return ROOT / "constraints" / "python{}.{}.txt".format(*version)


def locked_versions(version: tuple[int, int]) -> str:
    """The content of the constraints file; empty if there is none: pip then takes what setup.cfg allows."""
    path = constraints_file(version)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def environment(python: str, version: tuple[int, int], purpose: str, folder: Path | None) -> Path:
    """A virtual environment with this checkout and the extras for `purpose`, new or reused."""
    venv = folder or ROOT / ".venv-{}-{}.{}".format(purpose, *version)
    stamp = venv / "litebridge.stamp"
    locked = locked_versions(version)
    expected = fingerprint(ROOT, EXTRAS[purpose], "{}.{}".format(*version), str(ROOT), locked)
    inner = script(venv, "python")
    if stamp.is_file() and stamp.read_text() == expected and python_version(inner) == version:
        return venv
    if python_version(inner) != version:
        if venv.exists() and not (venv / "pyvenv.cfg").is_file() and (venv.is_file() or any(venv.iterdir())):
            raise DevError(
                f"--venv {venv}: this is not a virtual environment; name another folder", NO_ENVIRONMENT
            )
        echo(f"creating the environment {venv.name} (Python {version[0]}.{version[1]})")
        if call([python, "-m", "venv", "--clear", str(venv)]):
            raise DevError(
                f"'{python} -m venv' failed; install its venv module (Debian: python3-venv) or use --python",
                NO_ENVIRONMENT,
            )
    stamp.unlink(missing_ok=True)
    echo(f"installing litebridge[{EXTRAS[purpose]}] (this takes a minute or two)")
    pins = ["--constraint", str(constraints_file(version))] if locked else []
    install(inner, *pins, "--editable", f".[{EXTRAS[purpose]}]")
    replace_opencv(inner)
    stamp.write_text(expected)
    return venv


def quick_steps(venv: Path) -> list[Step]:
    """The checks that only read the source."""
    python = script(venv, "python")
    return [
        Step("format", 11, (python, "-m", "ruff", "format", "--check", ".")),
        Step("lint", 12, (python, "-m", "ruff", "check", ".")),
        Step("imports", 13, (script(venv, "lint-imports"),)),
        Step("types", 14, (python, "-m", "mypy")),
    ]


def docs_step(venv: Path) -> Step:
    """The site from docs/ and the docstrings; a warning is an error."""
    return Step("docs", 17, (script(venv, "python"), "-m", "mkdocs", "build", "--strict", "--quiet"))


def all_steps(venv: Path, fast: bool, rest: Sequence[str]) -> list[Step]:
    """All checks; `rest` are arguments of pytest, and `fast` leaves out the site and the wheel."""
    python = script(venv, "python")
    tests = Step("tests", 15, (python, *PYTEST, *rest))
    if fast:
        return [*quick_steps(venv), tests]
    wheel = Step("wheel", 16, (python, "-m", "lite.tools.maintenance.wheel_check"))
    return [*quick_steps(venv), docs_step(venv), tests, wheel]


def long_steps(venv: Path) -> list[Step]:
    """Checks that are too slow for every change: coverage, checked kernels, random and damaged models, soaks.

    Coverage makes tests take three times as long, so it is measured without the suites of whole models.
    """
    python = script(venv, "python")

    def module(name: str, *options: str) -> tuple[str, ...]:
        return (python, "-W", "ignore", "-m", name, *options)

    coverage = ("--cov=.", "--cov-branch", "--cov-report=term", *(f"--ignore={each}" for each in SUITES))
    checked = ("-q", "tests/kernels/cpu", "tests/suite/test_op_cases.py")
    lists = ("-q", "--hypothesis-profile=long", "tests/suite/test_random_pass_lists.py")
    graphs = ("--first", "7000000", "--count", "500", "--workers", "2")
    damaged = [
        Step(f"damaged {each}", LONG, module("tests.soak.mutations", "--format", each, "--count", "2000"))
        for each in FORMATS
    ]
    return [
        Step("coverage", LONG, (python, *PYTEST, *coverage)),
        Step("checked kernels", LONG, (python, *PYTEST, *checked), checked=True),
        Step("pass lists", LONG, (python, *PYTEST, *lists)),
        Step("checked graphs", LONG, module("lite.tools.fuzz", *graphs), checked=True),
        *damaged,
        Step("forks", LONG, module("tests.soak.fork_after_use", "--rounds", "200")),
        Step("cache chaos", LONG, module("tests.soak.cache_chaos", "--rounds", "100")),
        Step("damaged caches", LONG, module("tests.soak.cache_damage", "--minutes", "3")),
        Step("interrupts", LONG, module("tests.soak.interrupts", "--minutes", "30")),
        Step("create and destroy", LONG, module("tests.soak.create_destroy", "--cycles", "2000")),
        Step("soak", LONG, module("tests.soak", "--minutes", "10")),
    ]


def run_steps(steps: Sequence[Step]) -> int:
    """Run the steps up to the first that fails; returns its exit status, or 0."""
    for number, step in enumerate(steps, 1):
        echo(f"[{number}/{len(steps)}] {step.name}")
        start = time.monotonic()
        failed = call(step.command, checked=step.checked)
        echo(f"      {step.name} {'FAILED' if failed else 'ok'} ({time.monotonic() - start:.1f} s)")
        if failed:
            return step.status
    return 0


def clean(root: Path) -> None:
    """Remove the files that builds, checks and the demo generated; links are not followed."""
    caches = [Path(folder, "__pycache__") for folder, inner, _ in os.walk(root) if "__pycache__" in inner]
    for path in [*(path for pattern in GENERATED for path in root.glob(pattern)), *caches]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options, and the arguments after ``--``."""
    own, rest = list(arguments), []
    if "--" in own:
        cut = own.index("--")
        own, rest = own[:cut], own[cut + 1 :]
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="tools/dev.py", description=__doc__, epilog=HELP, formatter_class=form
    )
    parser.add_argument("command", choices=["demo", "test", "lint", "docs", "clean"], metavar="command")
    parser.add_argument(
        "--python", default=sys.executable, help="create the environment with this interpreter"
    )
    parser.add_argument("--venv", type=Path, help="the folder of the environment (default: in the checkout)")
    parser.add_argument(
        "--long", action="store_true", help="test: also run the checks that take over an hour"
    )
    parser.add_argument("--fast", action="store_true", help="test: leave out the site and the wheel")
    return parser.parse_args(own), rest


def work(options: argparse.Namespace, rest: Sequence[str]) -> int:
    """Run one command; returns the exit status."""
    if options.command == "clean":
        clean(ROOT)
        return 0
    links = link_problem(ROOT)
    if links:
        raise DevError(links, BROKEN_LINKS)
    version = python_version(options.python)
    if version is None:
        raise DevError(f"--python {options.python}: this program does not exist or does not run", NO_PYTHON)
    problem = version_problem(version, options.command)
    if problem:
        raise DevError(problem, NO_PYTHON)
    purpose = "demo" if options.command == "demo" else "test"
    venv = environment(options.python, version, purpose, options.venv and options.venv.absolute())
    if options.command == "demo":
        return call([script(venv, "python"), "-m", "lite.tools.demo.ocr_demo", *rest])
    if options.command == "test":
        steps = [*all_steps(venv, options.fast, rest), *(long_steps(venv) if options.long else [])]
    else:
        steps = [docs_step(venv)] if options.command == "docs" else quick_steps(venv)
    status = run_steps(steps)
    echo("all checks passed" if status == 0 else f"stopped with exit status {status}")
    return status


def main() -> int:
    """Run the command line; an error prints one message to stderr."""
    try:
        return work(*parse(sys.argv[1:]))
    except DevError as error:
        print(f"tools/dev.py: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
