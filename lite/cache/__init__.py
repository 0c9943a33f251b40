"""What is kept in `Config.cache_dir`, a file each.

Those are compiled models of devices, for each region and input signature; plans; and packed weights.  A
file is found by the hash of all that it depends on (`CacheKey`), describes itself and is checked whenever
it is read.  Nothing that is wrong with the directory or a file in it is an error: what cannot be read is
made again, what cannot be written is made again next time.
"""

from lite.cache.device_cache import PLANS, DeviceCache
from lite.cache.entry import Entry
from lite.cache.key import CacheKey, KeyPart, cache_key
from lite.cache.weight_hashes import WeightHashes

__all__ = ["PLANS", "CacheKey", "DeviceCache", "Entry", "KeyPart", "WeightHashes", "cache_key"]
