"""Translations of TFLite ops; each module is a family of `kernels/host`."""
