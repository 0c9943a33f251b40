"""FileOption: an option that names a file; the content of the file is part of cache keys."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lite.dataclass import dataclass
from lite.errors import ConfigError

_BLOCK = 1 << 20


@dataclass(frozen=True)
class FileOption:
    """A file that an option names, such as calibration ranges: the type of a field of `Device.Options`.

    A compiled model depends on the content of the file, so a changed file gives another cache key.
    """

    path: Path

    def digest(self) -> str:
        """The BLAKE2b digest of the file's bytes, 32 bytes as hexadecimal text.

        Raises `ConfigError` for a file that cannot be read.
        """
        digest = hashlib.blake2b(digest_size=32)
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        except OSError as error:
            raise ConfigError(f"cannot read the file {self.path}, which an option names: {error}") from error
        return digest.hexdigest()
