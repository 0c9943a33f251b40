"""Fusions of elementwise ops."""
