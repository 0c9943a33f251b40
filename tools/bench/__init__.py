"""Benchmarks, most of them against other engines; not part of the wheel."""
