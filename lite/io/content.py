"""What a file that no parser reads looks like, for messages."""

from __future__ import annotations

from pathlib import Path

from lite.plugin.format import ModelSource, open_regular

_PREFIX = 4096

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a pointer of Git LFS, not the file itself; run: git lfs pull"),
    (b"\xff\xd8\xff", "a JPEG image; pass it as an input, and name a model"),
    (b"\x89PNG", "a PNG image; pass it as an input, and name a model"),
    (b"GIF8", "a GIF image; pass it as an input, and name a model"),
    (b"\x93NUMPY", "a NumPy array; pass it as an input, and name a model"),
    (b"%PDF", "a PDF document; name a model"),
    (b"\x89HDF", "an HDF5 file, as Keras saves models; convert it to ONNX with tf2onnx"),
    (b"GGUF", "a GGUF file of llama.cpp; export the original model to ONNX"),
    (b"ggml", "a GGML file; export the original model to ONNX"),
    (
        b"\x7fELF",
        "a program or library; name the model that it was built from",
    ),
    (b"MNN", "an MNN model; export the original model to ONNX"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
)
"""How a file begins → what it is, and what to do."""

_NB_VERSIONS = (b"\x00\x00", b"\x01\x00", b"\x02\x00")
"""How a naive buffer of Paddle-Lite begins: the version of its layout, and then that of the engine."""


def likely_content(source: ModelSource) -> str | None:
    """What the content looks like and what to do, in half a sentence; None for what a parser may explain."""
    prefix, name = _prefix(source)
    for magic, text in _MAGIC:
        if prefix.startswith(magic):
            return text
    if not prefix:
        return "an empty file; copy or export the model again" if _exists(source) else None
    if prefix[:2] in _NB_VERSIONS and (name.endswith(".nb") or prefix[2:4] == b"v2"):
        return (
            "an optimised model of Paddle-Lite (.nb) whose header is damaged; copy it again, or name the "
            "Paddle model that it was made from"
        )
    if prefix.startswith(b"PK\x03\x04"):
        return _archive(prefix)
    if prefix[:1] == b"\x80" and prefix[1:2] in b"\x02\x03\x04\x05" and len(prefix) > 1:
        return "a Python pickle, as torch.save and joblib write it; export the model to ONNX"
    if prefix[8:10] == b'{"' and int.from_bytes(prefix[:8], "little") < 1 << 27:
        return "a safetensors file, which holds weights without a model; export the model to ONNX"
    return _text(prefix)


def _prefix(source: ModelSource) -> tuple[bytes, str]:
    if source.model is not None:
        return source.model[:_PREFIX], ""
    path = source.path or Path()
    try:
        with open_regular(path) as file:
            return file.read(_PREFIX), path.name.lower()
    except OSError:
        return b"", path.name.lower()


def _exists(source: ModelSource) -> bool:
    return source.path is None or source.path.is_file()


def _archive(prefix: bytes) -> str:
    if b"data.pkl" in prefix or b"/version" in prefix:
        return "a PyTorch checkpoint; export the model with torch.onnx.export"
    if b"keras" in prefix or b"config.json" in prefix:
        return "a Keras model; convert it to ONNX with tf2onnx"
    return "a zip archive; unpack it first"


def _text(prefix: bytes) -> str | None:
    try:
        text = prefix.decode().lstrip().lower()
    except UnicodeDecodeError:
        return None
    if text.startswith(("<!doctype html", "<html")):
        return "a web page: the download went wrong; download the file itself"
    if text.startswith(("<?xml", "<net")) and "<net" in text:
        return "a model of OpenVINO (IR); name the model that it was made from"
    if text.startswith(("<?xml", "<svg")):
        return "an XML file; name a model"
    if text.startswith(("global:", "arch:", "mode:", "hpi:")):
        return "a settings file of Paddle's tools; name the folder that it is in"
    if text and all(character.isprintable() or character.isspace() for character in text):
        return "a text file; name a model"
    return None
