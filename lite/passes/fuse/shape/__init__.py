"""Fusions of ops that move data."""
