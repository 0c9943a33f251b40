"""Conversions by family; each file has a table `CONVERSIONS` from ops to functions."""
