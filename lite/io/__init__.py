"""Reads and writes models in any format."""
