"""Conventions of the whole tree."""
