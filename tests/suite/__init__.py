"""Whole models and op cases, on the host and on every device."""
