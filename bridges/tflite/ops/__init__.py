"""Conversions of ops to TFLite's operators, by family."""
