"""Rows of the fuzzer: how each op, and each chain of ops, is drawn."""
