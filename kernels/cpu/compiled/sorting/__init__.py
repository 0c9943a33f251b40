"""Functions that sort and search."""
