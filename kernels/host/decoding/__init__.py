"""Kernels of the target host: sequence decoding (beam search, CTC, CRF)."""
