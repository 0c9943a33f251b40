"""The cache of compiled device models: for each region and input signature, a file.

A file is found by the hash of all that its model depends on (`cache_key`), describes itself and is
checked whenever it is read.  Nothing that is wrong with the directory or a file in it is an error: a
model that cannot be read is built again, one that cannot be written is built again next time.
"""

from lite.runtime.cache.device_cache import DeviceCache
from lite.runtime.cache.entry import Entry
from lite.runtime.cache.key import CacheKey, KeyPart, cache_key
from lite.runtime.cache.weight_hashes import WeightHashes

__all__ = ["CacheKey", "DeviceCache", "Entry", "KeyPart", "WeightHashes", "cache_key"]
