"""Translations of PIR ops; each module is a family of `kernels/host`."""
