"""Conversions of ops to operations of ML programs (MIL), by family."""
