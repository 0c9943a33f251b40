"""The cache in `Config.cache_dir`: device models, plans and packed weights for later processes.

A cache is a directory with one file per entry.  Reading one from the top:

- `key`: an entry is found by its `CacheKey`, a digest of everything that its content depends on.
- `entry`: the format of an entry's file, in which every byte is checked.
- `directory`: `CacheDirectory` loads, stores, evicts and lists the entries of a directory.
- `array_blob`: the content of entries that hold arrays.

Three kinds of entries build on these: device models per region and input signature (`region_key`), plans
(`plan_cache`, `plan_serde`) and packed weights (`packed_weights`).  Digests that are slow to compute are
remembered between processes (`weight_hashes`, `source_digest`).

Trouble with the directory or a file in it is never an error.  An entry that cannot be read is built again;
one that cannot be written is built again by the next process.
"""

from typing import TYPE_CHECKING

from lite.lazy_names import names_of_modules

if TYPE_CHECKING:
    from lite.cache.directory import PLANS, CacheDirectory
    from lite.cache.entry import Entry
    from lite.cache.key import CacheKey, KeyPart
    from lite.cache.weight_hashes import WeightHashes

__all__ = ["PLANS", "CacheDirectory", "CacheKey", "Entry", "KeyPart", "WeightHashes"]

_LOADED_AT_FIRST_USE = {
    "PLANS": "lite.cache.directory",
    "CacheDirectory": "lite.cache.directory",
    "CacheKey": "lite.cache.key",
    "Entry": "lite.cache.entry",
    "KeyPart": "lite.cache.key",
    "WeightHashes": "lite.cache.weight_hashes",
}
"""The module of each name: an artifact needs the formats of this package, but no directory."""


if not TYPE_CHECKING:  # type checkers report a wrong name
    __getattr__ = names_of_modules(globals(), _LOADED_AT_FIRST_USE)
