"""Fusions around convolutions."""
