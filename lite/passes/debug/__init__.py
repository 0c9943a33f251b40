"""Passes that show a graph and change nothing."""
