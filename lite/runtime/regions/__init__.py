"""Regions at run time: device models by input signature, with the host as fallback."""
