"""Regions at run time: device models by input signature, and the host as fallback."""
