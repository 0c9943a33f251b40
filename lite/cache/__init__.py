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

from lite.cache.directory import PLANS, CacheDirectory
from lite.cache.entry import Entry
from lite.cache.key import CacheKey, KeyPart
from lite.cache.weight_hashes import WeightHashes

__all__ = ["PLANS", "CacheDirectory", "CacheKey", "Entry", "KeyPart", "WeightHashes"]
