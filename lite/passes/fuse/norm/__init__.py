"""Fusions that make normalisations."""
