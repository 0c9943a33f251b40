"""Engines to compare with."""
