"""Fusions of normalisations."""
