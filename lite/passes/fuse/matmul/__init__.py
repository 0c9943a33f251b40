"""Fusions around matrix products."""
