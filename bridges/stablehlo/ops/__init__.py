"""Conversions of ops to operations of StableHLO, by family."""
