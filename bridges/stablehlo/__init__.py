"""StableHLO: the bridges that all devices share whose compilers read StableHLO."""
