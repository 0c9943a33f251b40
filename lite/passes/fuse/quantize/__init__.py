"""Fusions of quantisation with the ops between."""
