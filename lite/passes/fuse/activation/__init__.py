"""Fusions that make or move activations."""
