"""Benchmarks against other engines; not part of the wheel."""
