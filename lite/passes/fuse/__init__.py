"""Passes that let one op do the work of several."""
