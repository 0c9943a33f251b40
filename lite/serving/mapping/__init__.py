"""Runs a model on many files, and goes on where an interrupted run stopped."""
