"""Fusions that form or move activations."""
